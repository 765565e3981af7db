//! Virtual environments of Python, for tools that come from `PyPI`.

use crate::fresh;
use crate::shell::*;

/// A new environment in this folder. It has no pip, which would take most of the time; `install`
/// has one for all.
pub(crate) fn create(folder: &Path) -> Result<()> {
    python3("-m venv --without-pip").arg(folder).run()
}

/// The environment of this name, with these requirements. It is made again if their file or a file of
/// xtask that has them changes.
pub(crate) fn with(name: &str, file: &str, requirements: &[&str]) -> Result<PathBuf> {
    fresh::built(scratch().join(name), &[file], |folder| {
        progress(&format!("installing {name}"));
        create(folder)?;
        let of_file = if requirements.is_empty() { vec!["-r", file] } else { Vec::new() };
        install(folder)?.args(of_file).args(requirements).run()
    })
}

/// `pip install` into an environment.
pub(crate) fn install(folder: &Path) -> Result<Program> {
    // Python compiles a module when a program first imports it.
    let pip = program_at(pip()?).arg("--python").arg(folder.join("bin/python"));
    Ok(pip.words("install --quiet --disable-pip-version-check --no-compile"))
}

/// pip, in an environment of its own.
pub(crate) fn pip() -> Result<PathBuf> {
    let folder = fresh::built(scratch().join("pip"), &["xtask/src/venv.rs"], |folder| {
        python3("-m venv").arg(folder).run()?;
        // The first that knows `--group`; a new environment may have an older one.
        let pip = program_at(folder.join("bin/pip"));
        pip.words("install --quiet --disable-pip-version-check pip>=25.1").run()
    })?;
    Ok(folder.join("bin/pip"))
}
