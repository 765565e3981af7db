//! The evaluators of the languages: requests in, answers out (`tests/README.md`).

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::languages::named;
use crate::shell::{command, line, scratch};

/// `cargo xtask evaluate LANGUAGE`: answers standard input on standard output.
pub(crate) fn evaluate(name: &str) -> Result<()> {
    let mut evaluator = match name {
        "reference" => reference_evaluator(),
        _ => (named(name)?.evaluator)()?,
    };
    let status = evaluator.stdin(Stdio::inherit()).status()?;
    ensure!(status.success(), "the evaluator of {name} ended with {status}");
    Ok(())
}

/// The evaluator over the reference.
pub(crate) fn reference_evaluator() -> Command {
    let mut python = command("python3");
    python.arg("tests/evaluate.py");
    python
}

/// Writes requests to a file that evaluators read.
pub(crate) fn write_requests(name: &str, requests: &str) -> Result<PathBuf> {
    let folder = scratch().join("requests");
    fs::create_dir_all(&folder)?;
    let path = folder.join(name);
    fs::write(&path, requests)?;
    Ok(path)
}

/// The answers of an evaluator to a file of requests.
pub(crate) fn answers(evaluator: &mut Command, requests: &Path) -> Result<String> {
    let file = File::open(requests).with_context(|| requests.display().to_string())?;
    let output = evaluator
        .stdin(file)
        .output()
        .with_context(|| format!("cannot run `{}`", line(evaluator)))?;
    if !output.status.success() {
        bail!("`{}` failed:\n{}", line(evaluator), String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}
