//! `backoff man`: the manual pages.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::error::ErrorKind;
use clap::{Args, Command};
use serde::Serialize;

use crate::files;
use crate::manual::{full_name, text};
use crate::output::Output;
use crate::usage::refuse;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Subcommand, and model, whose page to print, such as `run`, `simulate occ` or `simulate-occ`
    /// [default: the page of `backoff` itself]
    #[arg(conflicts_with = "out", num_args = 0..=2)]
    subcommand: Vec<String>,

    /// Write all pages into this folder, which exists
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  backoff man | man -l -
  backoff man explain | man -l -
  backoff man simulate occ | man -l -
  mkdir -p ~/.local/share/man/man1 && backoff man --out ~/.local/share/man/man1";

#[derive(Serialize)]
struct Line<'a> {
    page: &'a str,
    text: String,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let mut command = crate::command_line().disable_help_subcommand(true);
    // Gives the subcommands their full names and the global options.
    command.build();
    if let Some(folder) = &arguments.out {
        ensure!(folder.is_dir(), "{} is not a folder; create it first", folder.display());
        for page in pages(&command) {
            let path = folder.join(format!("{}.1", full_name(page)));
            let text = text(page)?;
            files::write(&path, text.as_bytes())?;
            if output.is_json() {
                output.json(&Line { page: full_name(page), text })?;
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    let name = std::iter::once("backoff").chain(arguments.subcommand.iter().map(String::as_str));
    let name = name.collect::<Vec<_>>().join("-");
    let page = pages(&command).into_iter().find(|page| full_name(page) == name);
    let page = page.unwrap_or_else(|| unknown(&command, &arguments.subcommand.join(" ")));
    let text = text(page)?;
    if output.is_json() {
        output.json(&Line { page: full_name(page), text })?;
    } else {
        output.write_all(text.as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The command, its subcommands, and theirs.
fn pages(command: &Command) -> Vec<&Command> {
    let below = command.get_subcommands().flat_map(pages);
    std::iter::once(command).chain(below).collect()
}

fn unknown(command: &Command, name: &str) -> ! {
    let names: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
    let message = format!("unknown subcommand '{name}'; the subcommands are {}", names.join(", "));
    refuse(ErrorKind::InvalidSubcommand, message)
}
