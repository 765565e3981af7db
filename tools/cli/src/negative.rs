//! Values that begin with a minus.

use clap::builder::Str;
use clap::{Arg, Command};

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
