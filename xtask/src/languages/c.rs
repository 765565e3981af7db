//! C: `make check` in bindings-c, on libbackoff installed under a prefix of its own.

mod archives;
mod make;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use serde_json::{Value, json};

use crate::languages::language::Platforms;
use crate::languages::python;
use crate::libbackoff::Platform;
use crate::report::{Extent, Report, Runner};
use crate::shell::{add_target, as_json, cargo, command, progress, run, scratch, stdout, symlink};
use crate::venv;

pub(crate) use make::prefix;
use make::{build, make, program, programs};

/// Its adapter is an example, for libcurl, which `make check` compiles and runs as the others.
pub(crate) fn hosts(_: Extent, _: &mut Report) {}

/// The harness of benchmarks, over the installed library.
pub(crate) fn bench() -> Result<Command> {
    let build = scratch().join("bench-c");
    let mut make = command("make");
    make.args(["--no-print-directory", "-C", "bench/c"]);
    make.arg(format!("PREFIX={}", prefix()?.display()));
    make.arg(format!("BUILD={}", build.display()));
    run(&mut make)?;
    Ok(command(build.join("bench")))
}

pub(crate) fn evaluator() -> Result<Command> {
    program("evaluate")
}

pub(crate) fn client() -> Result<Command> {
    program("example-http")
}

/// The output of a user's program over the installed library.
pub(crate) fn snippet(code: &str) -> Result<String> {
    fs::create_dir_all(programs())?;
    fs::write(programs().join("snippet.c"), code)?;
    stdout(&mut program("snippet")?)
}

/// The installed header, libraries and pkg-config file, as a C user has them.
pub(crate) fn test(report: &mut Report) {
    report.suite_of("C: make check", Runner::Summary, || {
        build("programs")?;
        let mut make = make()?;
        make.arg("check");
        Ok(make)
    });
    pytest(report, "test_installed.py", |_| Ok(()));
    archives::packed(report);
    report.check("C: the build systems for the README", offer_tools);
}

/// Runs tests of the installed library, which `BACKOFF_C` describes.
fn pytest(report: &mut Report, file: &str, more: impl FnOnce(&mut Value) -> Result<()>) {
    report.pytest(&format!("C: pytest {file}"), || {
        let prefix = prefix()?;
        let mut given = json!({
            "prefix": prefix,
            "make": [format!("PREFIX={}", prefix.display()), format!("BUILD={}", programs().display())],
            "tools": tools()?,
            "xtask": std::env::current_exe()?,
        });
        more(&mut given)?;
        let mut pytest = python::tool("pytest")?;
        pytest.arg(Path::new("bindings-c/tests").join(file));
        pytest.env("BACKOFF_C", given.to_string());
        Ok(pytest)
    });
}

/// The build systems of users' projects.
fn tools() -> Result<PathBuf> {
    Ok(venv::with("c-tools", "bindings-c/tests/requirements.txt", &[])?.join("bin"))
}

/// Puts the build systems where the commands of the documents find them.
fn offer_tools() -> Result<()> {
    fs::create_dir_all(crate::shell::programs())?;
    for name in ["cmake", "meson", "ninja"] {
        let link = crate::shell::programs().join(name);
        let _ = fs::remove_file(&link);
        symlink(tools()?.join(name), &link)?;
    }
    Ok(())
}

const I686: &str = "i686-unknown-linux-gnu";

/// The platforms for which there are archives. Those for Linux run with a glibc of 2012.
const PUBLISHED: [&str; 5] = [
    "x86_64-unknown-linux-gnu.2.17",
    "aarch64-unknown-linux-gnu.2.17",
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
    "x86_64-pc-windows-gnu",
];

pub(crate) fn packages(extent: Platforms) -> Result<Vec<PathBuf>> {
    match extent {
        // Only macOS builds for macOS.
        Platforms::All if cfg!(not(target_os = "macos")) => archives::archives(&PUBLISHED),
        _ => archives::archives(&[Platform::host()?.name()]),
    }
}

pub(crate) fn test_more(report: &mut Report) {
    // Assertions, which only a build evaluates, compare the types of C with those of the core. The
    // static library needs no linker for the target.
    report.check("C: the library builds where u64 is aligned to 4 bytes", || {
        add_target(I686)?;
        let build = ["rustc", "--locked", "--release", "--package", "bindings-c"];
        run(cargo().args(build).args(["--crate-type", "staticlib", "--target", I686]))
    });
    pytest(report, "test_everywhere.py", |given| {
        given["old_cmake"] = json!(old_cmake()?);
        given["cargo_c"] = json!({
            "program": cargo_c()?,
            "target": scratch().join("c-cinstall-target"),
            "version": CARGO_C.split('+').next(),
        });
        for name in PUBLISHED {
            let platform = Platform::named(name)?;
            given["platforms"][name] = json!({ "archive": archives::packed_for(&platform)?, "cc": as_json(&platform.cc()?) });
        }
        Ok(())
    });
}

/// The last that the pinned Rust builds.
const CARGO_C: &str = "0.10.24+cargo-0.98.0";

/// cargo-c. Without optimisation it is built in a third of the time.
fn cargo_c() -> Result<PathBuf> {
    let program = scratch().join("cargo-c/bin/cargo-cinstall");
    if !program.exists() {
        progress("building cargo-c, which takes some minutes");
        let mut install = cargo();
        install.args(["install", "--debug", "--locked", &format!("cargo-c@{CARGO_C}"), "--root"]);
        install.arg(scratch().join("cargo-c"));
        run(install.env("CARGO_TARGET_DIR", scratch().join("cargo-c-target")))?;
    }
    Ok(program)
}

/// The oldest that the package promises to work with.
const OLD_CMAKE: &str = "cmake==3.15.3";

fn old_cmake() -> Result<PathBuf> {
    Ok(venv::with("c-old-cmake", "xtask/src/languages/c.rs", &[OLD_CMAKE])?.join("bin/cmake"))
}
