//! Errors of the arguments, beyond what `clap` says.

use std::env::args_os;
use std::ffi::OsString;
use std::fmt::Display;
use std::process::exit;

use clap::builder::Str;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};

use crate::command_line;
use crate::output::message;

/// The exit code if `backoff run` itself fails, or cannot be used so, as for `env` and `timeout`. The
/// usual 2 would be taken for that of its command.
pub(crate) const FAILURE_OF_RUN: u8 = 125;

/// Prints an error about the arguments of the subcommand, and ends the process.
pub(crate) fn refuse(kind: ErrorKind, message: impl Display) -> ! {
    let error = subcommand().error(kind, message);
    print(&error);
    exit(code(&error).into())
}

/// Prints an error of the arguments at once, so that processes that share standard error do not mix
/// their lines.
pub(crate) fn print(error: &clap::Error) {
    message(error.render().ansi().to_string().trim_end());
}

pub(crate) fn code(error: &clap::Error) -> u8 {
    match u8::try_from(error.exit_code()) {
        Ok(0) => 0,
        _ if is_run() => FAILURE_OF_RUN,
        Ok(code) => code,
        Err(_) => 2,
    }
}

/// An error of `clap` with what else the user should know.
pub(crate) fn explained(mut error: clap::Error) -> clap::Error {
    match error.kind() {
        ErrorKind::InvalidUtf8 => {
            let Some((number, wrong)) = args_os().enumerate().find(is_refused) else {
                return error;
            };
            let wrong = wrong.to_string_lossy().escape_debug().to_string();
            let text = format!("argument {number}, '{wrong}', is not UTF-8");
            subcommand().error(ErrorKind::InvalidUtf8, text)
        }
        // `clap` finds a word of two or three letters like no other.
        ErrorKind::InvalidSubcommand if error.get(ContextKind::SuggestedSubcommand).is_none() => {
            let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
                return error;
            };
            let command = subcommand();
            let names = command.get_subcommands().map(Command::get_name);
            let near = names.filter(|name| strsim::osa_distance(word, name) == 1);
            let near: Vec<_> = near.map(str::to_owned).collect();
            if !near.is_empty() {
                error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(near));
            }
            error
        }
        ErrorKind::UnknownArgument | ErrorKind::MissingRequiredArgument
            if is_run() && !args_os().any(|argument| argument == "--") =>
        {
            let tip = "put -- before the command: backoff run POLICY [OPTIONS] -- COMMAND";
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
            error
        }
        _ => error,
    }
}

/// Whether this argument, unlike the name of a file, must be UTF-8 and is not: it is refused although
/// all others are UTF-8.
fn is_refused((number, argument): &(usize, OsString)) -> bool {
    let as_text = |argument: OsString| argument.to_string_lossy().into_owned().into();
    let others = args_os().enumerate();
    let others = others.map(|(at, other)| if at == *number { other } else { as_text(other) });
    argument.to_str().is_none()
        && command_line()
            .try_get_matches_from(others)
            .is_err_and(|error| error.kind() == ErrorKind::InvalidUtf8)
}

fn is_run() -> bool {
    names().next().is_some_and(|name| name == "run")
}

/// The arguments that may be names of subcommands.
fn names() -> impl Iterator<Item = OsString> {
    // No option before a subcommand has a value.
    args_os().skip(1).filter(|argument| !argument.as_encoded_bytes().starts_with(b"-"))
}

/// The subcommand that the arguments name, such as `simulate occ`, or `backoff` itself.
fn subcommand() -> Command {
    let mut command = command_line();
    command.build();
    for name in names() {
        let Some(named) = command.find_subcommand(name).cloned() else { break };
        command = named;
    }
    command
}

/// The command line that reads `--seed -1` and `--within -5s` as values, so that the error says what
/// is wrong with them, and not that there is no such option.
pub(crate) fn shown_as_refused(command: Command) -> Command {
    command.mut_args(with_minus).mut_subcommands(shown_as_refused)
}

fn with_minus(argument: Arg) -> Arg {
    let is_option = argument.get_long().is_some() && argument.get_action().takes_values();
    let value = argument.get_value_names().and_then(<[_]>::first).map(Str::as_str);
    match value {
        Some("TIME" | "DURATION") if is_option => argument.allow_hyphen_values(true),
        Some("SEED" | "N" | "INDEX" | "COUNT") if is_option => {
            argument.allow_negative_numbers(true)
        }
        _ => argument,
    }
}
