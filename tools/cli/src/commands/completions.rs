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
    let mut command = with_values(crate::command_line());
    // Writing to memory cannot fail, and `generate` panics when writing fails.
    let mut script = Vec::new();
    generate(arguments.shell, &mut command, "backoff", &mut script);
    let script = String::from_utf8(script).context("the script is not UTF-8")?;
    let script = with_positionals(arguments.shell, script, &command);
    if output.is_json() {
        output.json(&Line { shell: arguments.shell.to_string(), script })?;
    } else {
        output.write_all(script.as_bytes())?;
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

/// The script with the values of arguments that are not options, such as the presets of a POLICY.
/// `clap_complete` has them for bash and zsh only.
fn with_positionals(shell: Shell, mut script: String, command: &Command) -> String {
    for subcommand in command.get_subcommands() {
        let name = subcommand.get_name();
        let values = subcommand.get_positionals().flat_map(Arg::get_possible_values);
        let values: Vec<_> = values.map(|value| value.get_name().to_owned()).collect();
        if values.is_empty() {
            continue;
        }
        // Each script has one place for the candidates of a subcommand.
        let (place, lines) = match shell {
            Shell::Fish => (None, vec![fish(name, &values)]),
            Shell::Elvish => (
                Some(format!("\n        &'backoff;{name}'= {{")),
                values.iter().map(|value| format!("\n            cand {value} ''")).collect(),
            ),
            Shell::PowerShell => (
                Some(format!("\n        'backoff;{name}' {{")),
                values.iter().map(|value| powershell(value)).collect(),
            ),
            _ => return script,
        };
        let at = match place {
            None => Some(script.len()),
            Some(place) => script.find(&place).map(|at| at + place.len()),
        };
        if let Some(at) = at {
            script.insert_str(at, &lines.concat());
        }
    }
    script
}

/// Not after `--`, where the command of `backoff run` stands.
fn fish(subcommand: &str, values: &[String]) -> String {
    let condition = "not contains -- -- (commandline -opc)";
    let values = values.join(" ");
    format!(
        "complete -c backoff -n \"__fish_backoff_using_subcommand {subcommand}; and {condition}\" \
         -f -a \"{values}\"\n"
    )
}

fn powershell(value: &str) -> String {
    let kind = "[CompletionResultType]::ParameterValue";
    format!("\n            [CompletionResult]::new('{value}', '{value}', {kind}, '{value}')")
}
