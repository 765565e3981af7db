//! Virtual environments of Python, for tools that come from `PyPI`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::fresh;
use crate::shell::{command, progress, run, scratch};

/// A new environment in this folder. It has no pip, which would take most of the time; `install`
/// has one for all.
pub(crate) fn create(folder: &Path) -> Result<()> {
    let _ = fs::remove_dir_all(folder);
    run(command("python3").args(["-m", "venv", "--without-pip"]).arg(folder))
}

/// The environment of this name, with these requirements. It is made again if their file or a file of
/// xtask that has them changes.
pub(crate) fn with(name: &str, file: &str, requirements: &[&str]) -> Result<PathBuf> {
    let folder = scratch().join(name);
    fresh::unless_fresh(&folder, &[file], || {
        progress(&format!("installing {name}"));
        create(&folder)?;
        let mut install = install(&folder)?;
        if requirements.is_empty() {
            install.args(["-r", file]);
        }
        run(install.args(requirements))
    })?;
    Ok(folder)
}

/// `pip install` into an environment.
pub(crate) fn install(folder: &Path) -> Result<Command> {
    let mut pip = pip()?;
    pip.arg("--python").arg(folder.join("bin/python"));
    // Python compiles a module when a program first imports it.
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--no-compile"]);
    Ok(pip)
}

/// The first that knows `--group`; a new environment may have an older one.
const PIP: &str = "pip>=25.1";

/// pip, in an environment of its own.
pub(crate) fn pip() -> Result<Command> {
    let folder = scratch().join("pip");
    let pip = folder.join("bin/pip");
    fresh::unless_fresh(&folder, &["xtask/src/venv.rs"], || {
        let _ = fs::remove_dir_all(&folder);
        run(command("python3").args(["-m", "venv"]).arg(&folder))?;
        run(command(&pip).args(["install", "--quiet", "--disable-pip-version-check", PIP]))
    })?;
    Ok(command(pip))
}
