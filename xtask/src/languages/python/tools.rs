//! The virtual environment of the tests, and what the package is built from.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::shell::{command, progress, run, scratch};
use crate::{fresh, venv};

/// The requirements of the examples, those of the shared tests, and the project whose group `dev` has
/// those of the package.
pub(super) const EXAMPLES: &str = "tools/cli/examples/requirements.txt";

pub(super) const TESTS: &str = "tests/requirements.txt";

pub(super) const PROJECT: &str = "bindings-python/pyproject.toml";

pub(super) const INPUTS: [&str; 7] = [
    "core",
    "tools/export",
    "bindings-python",
    "xtask",
    "Cargo.toml",
    "Cargo.lock",
    "rust-toolchain.toml",
];

/// A virtual environment with the linters, the test runners, the hosts and what the examples need.
pub(crate) fn tools() -> Result<PathBuf> {
    let folder = scratch().join("python");
    fresh::unless_fresh(&folder, &[TESTS, EXAMPLES, PROJECT], || {
        progress("installing the tools for Python");
        venv::create(&folder)?;
        let mut install = venv::install(&folder)?;
        install.args(["-r", TESTS, "-r", EXAMPLES, "--group"]).arg(format!("{PROJECT}:dev"));
        run(&mut install)
    })?;
    Ok(folder)
}

/// A program of these tools.
pub(crate) fn tool(name: &str) -> Result<Command> {
    Ok(command(tools()?.join("bin").join(name)))
}
