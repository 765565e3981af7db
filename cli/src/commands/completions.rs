//! `backoff completions`: the completions of a shell.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use clap_complete::{Shell, generate};

use crate::output::Output;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Shell to complete commands in
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  backoff completions bash > ~/.local/share/bash-completion/completions/backoff
  backoff completions zsh > ~/.zfunc/_backoff
  backoff completions fish > ~/.config/fish/completions/backoff.fish";

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    // Writing to memory cannot fail, and `generate` panics when writing fails.
    let mut script = Vec::new();
    generate(arguments.shell, &mut crate::command_line(), "backoff", &mut script);
    output.write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}
