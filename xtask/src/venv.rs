//! Virtual environments of Python, for tools that come from `PyPI`.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::shell::{command, run};

/// A new environment in this folder.
pub(crate) fn create(folder: &Path) -> Result<()> {
    let _ = fs::remove_dir_all(folder);
    run(command("python3").args(["-m", "venv"]).arg(folder))
}

/// `pip install` into an environment.
pub(crate) fn install(folder: &Path) -> Command {
    let mut pip = command(folder.join("bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check"]);
    pip
}
