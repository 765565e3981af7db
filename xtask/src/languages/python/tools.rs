//! The virtual environment of the tests, and what the package is built from.

use crate::fresh::built;
use crate::shell::*;
use crate::venv;

/// The requirements of the examples, those of the shared tests, the project whose group `dev` has
/// those of the package, and those of the oldest hosts.
pub(super) const EXAMPLES: &str = "tools/cli/examples/requirements.txt";
pub(super) const TESTS: &str = "tests/requirements.txt";
const PROJECT: &str = "bindings-python/pyproject.toml";
pub(super) const OLDEST: &str = "bindings-python/tests/hosts/oldest.txt";

/// What a wheel is made of.
pub(super) const INPUTS: [&str; 7] = [
    "core",
    "tools/export",
    "bindings-python",
    "xtask/src/languages/python",
    "Cargo.toml",
    "Cargo.lock",
    "rust-toolchain.toml",
];

/// A virtual environment with the linters, the test runners, the hosts and what the examples need.
pub(super) fn tools() -> Result<PathBuf> {
    built(scratch().join("python"), &[TESTS, EXAMPLES, PROJECT], |folder| {
        progress("installing the tools for Python");
        venv::create(folder)?;
        let install = venv::install(folder)?.args(["-r", TESTS, "-r", EXAMPLES, "--group"]);
        install.arg(format!("{PROJECT}:dev")).run()
    })
}

pub(crate) fn tool(name: &str) -> Result<Program> {
    Ok(program_at(tools()?.join("bin").join(name)))
}
