//! Gives the shared library the name by which programs load it, and writes the package of CMake for
//! `cargo cinstall`. Lays out the memory of the module of WebAssembly.

#[path = "../xtask/src/libbackoff/template.rs"]
mod template;

use std::path::Path;
use std::{env, fs};

const TEMPLATES: [&str; 2] = ["backoff-config.cmake", "backoff-config-version.cmake"];

fn main() {
    for input in ["build.rs", "../xtask/src/libbackoff/template.rs", "cmake"] {
        println!("cargo:rerun-if-changed={input}");
    }
    name_the_library();
    lay_out_the_module();
    write_the_package();
}

fn name_the_library() {
    let version = template::so_version();
    let argument = match variable("CARGO_CFG_TARGET_OS").as_str() {
        "linux" => format!("-Wl,-soname,libbackoff.so.{version}"),
        "macos" => format!("-Wl,-install_name,@rpath/libbackoff.{version}.dylib"),
        _ => return,
    };
    println!("cargo:rustc-cdylib-link-arg={argument}");
}

/// In WebAssembly, a stack that is too small meets the end of the memory, not the data. The memory behind
/// `__heap_base` is the host's.
fn lay_out_the_module() {
    if variable("CARGO_CFG_TARGET_ARCH") == "wasm32" {
        for option in "--stack-first -zstack-size=24576 --export=__heap_base --strip-all".split(' ')
        {
            println!("cargo:rustc-cdylib-link-arg={option}");
        }
    }
}

fn write_the_package() {
    let pointer_bits: u32 = variable("CARGO_CFG_TARGET_POINTER_WIDTH").parse().expect("a number");
    for name in TEMPLATES {
        let template = fs::read_to_string(format!("cmake/{name}.in")).expect("a template");
        let text = template::fill_in(&template, pointer_bits / 8);
        fs::write(Path::new(&variable("OUT_DIR")).join(name), text).expect("cargo's folder");
    }
}

fn variable(name: &str) -> String {
    env::var(name).expect("cargo sets it")
}
