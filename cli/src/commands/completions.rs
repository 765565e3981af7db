//! `backoff completions`: the completions of a shell.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::builder::{PossibleValuesParser, Str};
use clap::{Arg, Args, Command, ValueHint};
use clap_complete::{Shell, generate};
use serde::Serialize;

use crate::output::Output;
use crate::presets::presets;

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

#[derive(Serialize)]
struct Line {
    shell: String,
    script: String,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    // Writing to memory cannot fail, and `generate` panics when writing fails.
    let mut script = Vec::new();
    generate(arguments.shell, &mut with_values(crate::command_line()), "backoff", &mut script);
    if output.is_json() {
        let script = String::from_utf8(script).context("the script is not UTF-8")?;
        output.json(&Line { shell: arguments.shell.to_string(), script })?;
    } else {
        output.write_all(&script)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The command line with the values that a shell offers: presets, subcommands, and files only where
/// files are meant.
fn with_values(command: Command) -> Command {
    // `clap` wants names that live as long as the process.
    let names = command.get_subcommands().map(|sub| &*sub.get_name().to_owned().leak());
    let names: Vec<&'static str> = names.collect();
    let command = command.mut_subcommand("man", |man| {
        let values = PossibleValuesParser::new(names);
        man.mut_arg("subcommand", |name| name.value_parser(values))
    });
    with_hints(command)
}

fn with_hints(command: Command) -> Command {
    command.mut_args(hinted).mut_subcommands(with_hints)
}

fn hinted(argument: Arg) -> Arg {
    let preset = |of| {
        let of_kind = presets().iter().filter(move |preset| preset.of == of);
        PossibleValuesParser::new(of_kind.map(|preset| preset.name))
    };
    let has_values = !argument.get_possible_values().is_empty();
    if !argument.get_action().takes_values() || has_values {
        return argument;
    }
    let value = argument.get_value_names().and_then(<[_]>::first).map(Str::as_str);
    match value {
        Some("POLICY") => argument.value_parser(preset("policy")),
        Some("BUDGET") => argument.value_parser(preset("budget")),
        Some("FILE" | "PART" | "PARTS") => argument.value_hint(ValueHint::FilePath),
        Some("DIR") => argument.value_hint(ValueHint::DirPath),
        // A command has files among its arguments.
        Some("COMMAND") => argument,
        _ => argument.value_hint(ValueHint::Other),
    }
}
