//! Asking the drivers: request lines in, answer lines out (see `tests/README.md`).

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell::{line, scratch};

/// Writes requests for drivers to read.
pub(crate) fn requests(name: &str, requests: &str) -> Result<PathBuf> {
    let path = scratch().join("answers").join(name);
    std::fs::create_dir_all(path.parent().expect("a file is in a folder"))?;
    std::fs::write(&path, requests)?;
    Ok(path)
}

/// Every answer of a driver to a file of requests.
pub(crate) fn of(driver: &mut Command, requests: &Path) -> Result<String> {
    let requests_file = File::open(requests).with_context(|| requests.display().to_string())?;
    let output = driver
        .stdin(requests_file)
        .output()
        .with_context(|| format!("cannot run `{}`", line(driver)))?;
    if !output.status.success() {
        bail!("`{}` failed:\n{}", line(driver), String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}
