//! The crates of this workspace, compiled once for lints, tests and examples.
//!
//! Clippy takes the place of the compiler, which it calls, so a warning fails the tests, and nothing is
//! checked that is compiled anyway. Crates that share dependencies are built by one command, because
//! cargo compiles a dependency again for each selection of its features.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::report::{Report, Runner};
use crate::shell::{cargo, command, progress, run, stdout, target};

/// The crates that are published.
pub(crate) const PUBLISHED: &[&str] = if cfg!(windows) {
    &["backoff-core", "backoff-retry"]
} else {
    &[
        "backoff-core",
        "backoff-retry",
        "backoff-adapters",
        "backoff-export",
        "backoff-sim",
        "backoff-cli",
    ]
};

/// This program, whose dependencies were compiled for it.
const TOOLS: &[&str] = &["xtask"];

/// Lints and tests all of them. libbackoff, the extension of Python and the WebAssembly have no tests
/// in Rust.
pub(crate) fn test(report: &mut Report) {
    for (what, packages) in [("the crates", PUBLISHED), ("xtask", TOOLS)] {
        report.suite_of(&format!("clippy and cargo test: {what}"), Runner::Summary, || {
            let mut test = linted("test", packages)?;
            test.arg("--no-fail-fast");
            Ok(test)
        });
    }
}

/// The tests of this name in the published crates.
pub(crate) fn tests_named(name: &str) -> Result<Command> {
    let mut test = linted("test", PUBLISHED)?;
    test.args(["--test", name]);
    Ok(test)
}

/// An example of the published crates.
pub(crate) fn example(name: &str) -> Result<Command> {
    progress(&format!("building Rust's {name}"));
    run(linted("build", PUBLISHED)?.args(["--example", name]))?;
    Ok(command(target().join("debug/examples").join(name)))
}

/// A verb of cargo on packages, where a warning of Clippy is an error.
pub(crate) fn linted(verb: &str, packages: &[&str]) -> Result<Command> {
    let mut cargo = cargo();
    cargo.args([verb, "--locked"]).args(packages.iter().flat_map(|name| ["--package", name]));
    lint(&mut cargo)?;
    Ok(cargo)
}

/// Adds Clippy to a build, as in `cargo clippy -- -D warnings`. The command may call cargo by itself.
pub(crate) fn lint(cargo: &mut Command) -> Result<()> {
    let sysroot = PathBuf::from(stdout(command("rustc").args(["--print", "sysroot"]))?.trim());
    cargo.env("RUSTC_WORKSPACE_WRAPPER", sysroot.join("bin/clippy-driver"));
    cargo.env("CLIPPY_ARGS", ["-D", "warnings", ""].join("__CLIPPY_HACKERY__"));
    Ok(())
}
