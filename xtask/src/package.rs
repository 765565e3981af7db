//! `cargo xtask package`: the files that would be published, in one folder.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::languages::{js, python, rust};
use crate::program;
use crate::shell::progress;

/// Builds the packages and copies them to a folder.
pub(crate) fn package(folder: &str) -> Result<()> {
    let folder = Path::new(folder);
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let others = [python::wheel()?, js::tarball()?, program::binary()?];
    for package in rust::archives()?.into_iter().chain(others) {
        let path = folder.join(package.file_name().context("a package is a file")?);
        fs::copy(&package, &path)?;
        progress(&path.display().to_string());
    }
    Ok(())
}
