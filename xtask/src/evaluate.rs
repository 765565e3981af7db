//! `cargo xtask evaluate LANGUAGE`: lines of JSON in, answers out (see `tests/README.md`).

use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::languages::named;
use crate::shell::command;

/// The name under which the reference answers.
const REFERENCE: &str = "reference";

/// Answers standard input on standard output.
pub(crate) fn run(name: &str) -> Result<()> {
    let mut evaluator = match name {
        REFERENCE => reference(),
        _ => (named(name)?.evaluator)()?,
    };
    let status = evaluator.stdin(Stdio::inherit()).status()?;
    if !status.success() {
        bail!("the evaluator of {name} ended with {status}");
    }
    Ok(())
}

/// The evaluator over the reference.
pub(crate) fn reference() -> Command {
    let mut python = command("python3");
    python.arg("tests/evaluate.py");
    python
}
