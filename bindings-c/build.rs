//! Gives the shared library the name by which programs load it: the major version of the ABI.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let major = std::env::var("CARGO_PKG_VERSION_MAJOR").expect("cargo sets it");
    let argument = match std::env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux") => format!("-Wl,-soname,libbackoff.so.{major}"),
        Ok("macos") => format!("-Wl,-install_name,@rpath/libbackoff.{major}.dylib"),
        _ => return,
    };
    println!("cargo:rustc-cdylib-link-arg={argument}");
}
