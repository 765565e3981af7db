//! `backoff`, the command: retries commands, and shows, checks and simulates policies.

#![forbid(unsafe_code)]

mod arguments;
mod bars;
mod commands;
mod duration;
mod fields;
mod files;
mod manual;
mod output;
mod plot;
mod presets;
mod refused;
mod report;
mod rows;
mod scenario;
#[cfg(unix)]
mod signals;
mod table;
mod usage;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser};

use crate::commands::Command;
use crate::output::Output;

/// Retry with exponential backoff and jitter, and see what a policy does.
///
/// A POLICY is a policy string such as `full:base=100ms,cap=20s,max_retries=5`, or a preset; see
/// `backoff presets`.
#[derive(Debug, Parser)]
#[command(name = "backoff", version, max_term_width = 100, after_help = EXIT_CODES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,

    /// Print JSON, one value per line
    #[arg(long, global = true)]
    json: bool,
}

const EXIT_CODES: &str = "\
Exit codes:
  0    success
  1    a check failed, or an error occurred
  2    invalid arguments, or an invalid policy or budget
`backoff run` exits with the code of the command; see `backoff run --help`.";

fn main() -> ExitCode {
    // If there is no handler, a limit ends this process as it ends others.
    #[cfg(unix)]
    let _ = signals::outlive_file_limits();
    output::choose_colors();
    let matches = usage::shown_as_refused(command_line()).try_get_matches();
    let arguments = match matches.and_then(|matches| Arguments::from_arg_matches(&matches)) {
        Ok(arguments) => arguments,
        Err(answer) => return printed(answer),
    };
    let mut output = Output::new(arguments.json);
    let result = arguments.command.run(&mut output);
    exit_code(result.and_then(|code| match output.flush() {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(code),
    }))
}

/// The exit code of a result, whose error is printed.
fn exit_code(result: anyhow::Result<ExitCode>) -> ExitCode {
    match result {
        Ok(code) => code,
        // The reader of a pipe has what it wanted.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::message(format_args!("{} {error:#}", output::error_label()));
            ExitCode::FAILURE
        }
    }
}

fn printed(answer: clap::Error) -> ExitCode {
    if answer.use_stderr() {
        let error = usage::explained(answer);
        usage::print(&error);
        return ExitCode::from(usage::code(&error));
    }
    let mut output = Output::new(false);
    let written = write!(output, "{}", answer.render().ansi()).and_then(|()| output.flush());
    exit_code(written.map(|()| ExitCode::SUCCESS).map_err(anyhow::Error::from))
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let kind = |io: &std::io::Error| io.kind() == ErrorKind::BrokenPipe;
        cause.downcast_ref::<std::io::Error>().is_some_and(kind)
    })
}

fn command_line() -> clap::Command {
    Arguments::command()
}
