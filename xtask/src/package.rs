//! `cargo xtask package`: the files that would be published, for whoever installs from a
//! checkout.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::languages::{js, python, rust};
use crate::shell::progress;

/// Builds every package and puts it into one folder.
pub(crate) fn run(folder: &str) -> Result<()> {
    let folder = Path::new(folder);
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let [core, retry] = rust::archives()?;
    for package in [python::wheel()?, js::tarball()?, core, retry] {
        let name = package.file_name().context("a package is a file")?;
        fs::copy(&package, folder.join(name))?;
        progress(&folder.join(name).display().to_string());
    }
    Ok(())
}
