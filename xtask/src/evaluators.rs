//! The evaluators of the languages: requests in, answers out (`tests/README.md`).

use std::process::Stdio;

use crate::languages::named;
use crate::shell::*;

/// `cargo xtask evaluate LANGUAGE`: answers standard input on standard output.
pub(crate) fn evaluate(name: &str) -> Result<()> {
    let evaluator = if name == "reference" { reference() } else { (named(name)?.evaluator)()? };
    let status = evaluator.command().stdin(Stdio::inherit()).status()?;
    ensure!(status.success(), "the evaluator of {name} ended with {status}");
    Ok(())
}

pub(crate) fn reference() -> Program {
    python3("tests/evaluate.py")
}

pub(crate) fn requests(name: &str, requests: &str) -> Result<PathBuf> {
    let path = scratch().join("requests").join(name);
    write(&path, requests)?;
    Ok(path)
}
