//! C: `make check` in bindings-c, on libbackoff installed under a prefix of its own.

mod cargo_c;
mod consumers;
mod make;
mod platforms;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::languages::language::Platforms;
use crate::libbackoff::Platform;
use crate::report::{Extent, Report, Runner};
use crate::shell::{add_target, cargo, command, empty, root, run, scratch, stdout};

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

/// The evaluator.
pub(crate) fn evaluator() -> Result<Command> {
    program("evaluate")
}

/// The HTTP example.
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
    report.check("C: an installed folder can be moved, with DESTDIR and spaces", || {
        let staged = scratch().join("staged");
        let moved = scratch().join("moved folder");
        empty(&staged)?;
        empty(&moved)?;
        let mut install = command(std::env::current_exe()?);
        run(install.args(["install", "--prefix", "/opt/back off"]).env("DESTDIR", &staged))?;
        fs::rename(staged.join("opt/back off"), moved.join("at last"))?;
        let mut user = command("sh");
        user.args(["-ec", MOVED_USER, "sh"]).arg(root()).current_dir(&moved);
        let output = stdout(&mut user)?;
        ensure!(output.ends_with("done\n"), "{output}");
        Ok(())
    });
    platforms::packed(report);
    consumers::test(report);
    report.check("C: the build systems for the README", consumers::offer_tools);
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

/// The files that are published.
pub(crate) fn packages(extent: Platforms) -> Result<Vec<PathBuf>> {
    match extent {
        // Only macOS builds for macOS.
        Platforms::All if cfg!(not(target_os = "macos")) => platforms::archives(&PUBLISHED),
        _ => platforms::archives(&[Platform::host()?.name()]),
    }
}

/// Tests that take longer.
pub(crate) fn test_more(report: &mut Report) {
    // Assertions, which only a build evaluates, compare the types of C with those of the core. The
    // static library needs no linker for the target.
    report.check("C: the library builds where u64 is aligned to 4 bytes", || {
        add_target(I686)?;
        let build = ["rustc", "--locked", "--release", "--package", "bindings-c"];
        run(cargo().args(build).args(["--crate-type", "staticlib", "--target", I686]))
    });
    consumers::test_more(report);
    platforms::compilers(report);
    platforms::valgrind(report);
    platforms::test_more(report);
    cargo_c::test_more(report);
}

/// A user of a library that was moved to `at last`. `eval` keeps the paths with spaces together.
const MOVED_USER: &str = r#"
export PKG_CONFIG_PATH="$PWD/at last/lib/pkgconfig"
eval "cc '$1/bindings-c/examples/retry.c' $(pkg-config --cflags --libs backoff) -o retry"
LD_LIBRARY_PATH="$PWD/at last/lib" ./retry
"#;
