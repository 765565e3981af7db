//! `backoff man`: the manual pages.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::error::ErrorKind;
use clap::{Args, Command};
use clap_mangen::Man;

use crate::output::Output;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Subcommand, and model, whose page to print, such as `run`, `simulate occ` or `simulate-occ`
    /// [default: the page of `backoff` itself]
    #[arg(conflicts_with = "out", num_args = 0..=2)]
    subcommand: Vec<String>,

    /// Write all pages into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  backoff man | man -l -
  backoff man explain | man -l -
  backoff man simulate occ | man -l -
  backoff man --out ~/.local/share/man/man1";

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let mut command = crate::command_line().disable_help_subcommand(true);
    // Gives the subcommands their full names and the global options.
    command.build();
    if let Some(folder) = &arguments.out {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        for page in pages(&command) {
            let path = folder.join(format!("{}.1", full_name(page)));
            fs::write(&path, text(page)?).with_context(|| path.display().to_string())?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let name = std::iter::once("backoff").chain(arguments.subcommand.iter().map(String::as_str));
    let name = name.collect::<Vec<_>>().join("-");
    let page = pages(&command).into_iter().find(|page| full_name(page) == name);
    let page = page.unwrap_or_else(|| unknown(&command, &arguments.subcommand.join(" ")));
    output.write_all(&text(page)?)?;
    Ok(ExitCode::SUCCESS)
}

/// The command, its subcommands, and theirs.
fn pages(command: &Command) -> Vec<&Command> {
    let below = command.get_subcommands().flat_map(pages);
    std::iter::once(command).chain(below).collect()
}

/// Ends the process with the error of clap.
fn unknown(command: &Command, name: &str) -> ! {
    let names: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
    let message = format!("unknown subcommand '{name}'; the subcommands are {}", names.join(", "));
    command.clone().error(ErrorKind::InvalidSubcommand, message).exit()
}

/// `backoff`, or `backoff-run` for a subcommand.
fn full_name(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

/// The page of a command.
fn text(command: &Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    let version = concat!("backoff ", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.clone()).source(version).manual("backoff");
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    if let Some(help) = command.get_after_long_help().or_else(|| command.get_after_help()) {
        // `clap_mangen` would join the lines of the examples.
        let help = help.to_string();
        let (heading, lines) = match help.strip_prefix("Examples:\n") {
            Some(examples) => ("EXAMPLES", examples),
            None => ("NOTES", help.as_str()),
        };
        writeln!(page, ".SH {heading}\n.nf")?;
        for line in lines.lines() {
            writeln!(page, "{}", literal(line))?;
        }
        writeln!(page, ".fi")?;
    }
    Ok(page)
}

/// A line of text that `roff` shows as it is.
fn literal(line: &str) -> String {
    let line = line.replace('\\', r"\e").replace('-', r"\-").replace('\'', r"\(aq");
    // A line that begins with a dot would be a request.
    if line.starts_with('.') { format!(r"\&{line}") } else { line }
}
