//! Files of a folder: their names and their checksums.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The files of a folder, sorted.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
}

pub(super) fn name(file: &Path) -> Result<&str> {
    file.file_name().and_then(|name| name.to_str()).context("a file with a name")
}
