//! `cargo xtask package`: the files that would be published, in one folder.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::languages::ALL;
use crate::languages::language::Platforms;
use crate::program;
use crate::shell::progress;

/// Builds the packages and copies them to a folder.
pub(crate) fn package(folder: &str, platforms: Platforms) -> Result<()> {
    ensure!(!folder.is_empty(), "the folder has no name");
    let folder = Path::new(folder);
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let mut packages = program::packages(platforms)?;
    for language in &ALL {
        packages.extend((language.packages)(platforms)?);
    }
    for package in packages {
        let path = folder.join(package.file_name().context("a package is a file")?);
        fs::copy(&package, &path)?;
        progress(&path.display().to_string());
    }
    Ok(())
}
