//! `backoff completions`.

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;

use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct Arguments {}

pub(crate) fn run(_: &Arguments, _: &mut Output) -> Result<ExitCode> {
    bail!("not implemented")
}
