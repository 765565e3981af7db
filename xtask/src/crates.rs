//! The crates of this workspace, compiled once for lints, tests and examples.
//!
//! Clippy takes the place of the compiler, which it calls, so a warning fails the tests, and nothing is
//! checked that is compiled anyway. Crates that share dependencies are built by one command, because
//! cargo compiles a dependency again for each selection of its features.

use crate::report::Report;
use crate::shell::*;

/// The crates that are published.
pub(crate) const PUBLISHED: &str = if cfg!(windows) {
    "--package backoff-core --package backoff-retry"
} else {
    "--package backoff-core --package backoff-retry --package backoff-adapters \
     --package backoff-export --package backoff-sim --package backoff-cli"
};

/// Lints and tests all of them, and this program, whose dependencies were compiled for it. libbackoff, the
/// extension of Python and the WebAssembly have no tests in Rust.
pub(crate) fn test(report: &mut Report) {
    for (what, packages) in [("the crates", PUBLISHED), ("xtask", "--package xtask")] {
        report.suite(&format!("clippy and cargo test: {what}"), || {
            Ok(linted(&format!("test {packages}"))?.arg("--no-fail-fast"))
        });
    }
}

pub(crate) fn tests_named(name: &str) -> Result<Program> {
    linted(&format!("test {PUBLISHED} --test {name}"))
}

pub(crate) fn example(name: &str) -> Result<Program> {
    progress(&format!("building Rust's {name}"));
    linted(&format!("build {PUBLISHED} --example {name}"))?.run()?;
    Ok(program_at(target().join("debug/examples").join(name)))
}

pub(crate) fn linted(line: &str) -> Result<Program> {
    lint(cargo(line).arg("--locked"))
}

/// Adds Clippy to a build, as in `cargo clippy -- -D warnings`. The program may call cargo by itself.
pub(crate) fn lint(program: Program) -> Result<Program> {
    let clippy = sysroot()?.join("bin/clippy-driver");
    let arguments = ["-D", "warnings", ""].join("__CLIPPY_HACKERY__");
    Ok(program.env("RUSTC_WORKSPACE_WRAPPER", clippy).env("CLIPPY_ARGS", arguments))
}

pub(crate) fn sysroot() -> Result<PathBuf> {
    Ok(program("rustc --print sysroot").stdout()?.trim().into())
}

/// Flags of rustc that write these names instead of the folders of this machine: that of cargo and that of this project.
pub(crate) fn without_paths(cargo: &str, project: &str) -> String {
    let home = std::env::home_dir().unwrap_or_default().join(".cargo");
    let of_cargo = std::env::var_os("CARGO_HOME").map_or(home, PathBuf::from);
    let flag = |folder: &Path, name| format!("--remap-path-prefix={}={name}", folder.display());
    format!("{}\x1f{}", flag(&of_cargo, cargo), flag(root(), project))
}

/// A tool of cargo in this version. It is compiled when it is first needed: without optimisation, which would
/// take longer than its work.
pub(crate) fn tool((name, version): (&str, &str), options: &str) -> Result<Program> {
    let folder = scratch().join("cargo-tools").join(format!("{name}-{version}"));
    if !folder.join("bin").exists() {
        progress(&format!("compiling {name} {version}, which takes minutes"));
        let install =
            cargo(&format!("install --quiet --locked --debug {options} {name}@{version}"));
        let install = install.arg("--root").arg(&folder);
        let install = install.env("CARGO_TARGET_DIR", scratch().join("cargo-tools/target"));
        install.run().with_context(|| format!("cannot install {name}"))?;
    }
    Ok(program_at(folder.join("bin").join(name)))
}
