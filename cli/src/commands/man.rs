//! `backoff man`: the man page.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct Arguments {}

pub(crate) fn run(_: &Arguments, output: &mut Output) -> Result<ExitCode> {
    clap_mangen::Man::new(crate::command_line()).render(output)?;
    Ok(ExitCode::SUCCESS)
}
