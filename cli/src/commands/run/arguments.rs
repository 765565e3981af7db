//! The arguments of `backoff run`.

#![cfg_attr(not(unix), allow(dead_code, reason = "only Unix runs commands"))]

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ArgGroup, Args, value_parser};

use super::codes::Codes;
use crate::arguments::{BudgetArgument, PolicyArgument, SeedAndKey, duration};

/// The policy, the exit codes that may be repeated, limits, and the command.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("repeatable").required(true).multiple(true),
    after_help = AFTER,
    after_long_help = AFTER,
)]
pub(crate) struct Arguments {
    /// When to run the command again, such as `full:base=100ms,cap=20s,max_retries=5`
    pub(super) policy: PolicyArgument,

    /// Exit codes after which the command may run again, such as 75,111
    #[arg(long, value_name = "CODES", group = "repeatable")]
    #[arg(value_delimiter = ',', value_parser = exit_code)]
    on: Vec<u8>,

    /// Exit codes that mean that the server is overloaded (outcome throttled)
    #[arg(long, value_name = "CODES", group = "repeatable")]
    #[arg(value_delimiter = ',', value_parser = exit_code)]
    on_throttled: Vec<u8>,

    /// Exit codes that mean that no answer came in time (outcome timeout)
    #[arg(long, value_name = "CODES", group = "repeatable")]
    #[arg(value_delimiter = ',', value_parser = exit_code)]
    on_timeout: Vec<u8>,

    /// Run the command again after any failure
    #[arg(long, group = "repeatable", conflicts_with = "on")]
    on_any: bool,

    #[command(flatten)]
    pub(super) stream: SeedAndKey,

    /// End an attempt that takes longer, with SIGTERM
    #[arg(long, value_name = "DURATION", value_parser = positive_duration)]
    pub(super) attempt_timeout: Option<u64>,

    /// Send SIGKILL if the attempt has not ended this long after SIGTERM
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = duration)]
    pub(super) kill_after: u64,

    /// Limit retries with a budget, such as aws-sdk-standard
    #[arg(long)]
    pub(super) budget: Option<BudgetArgument>,

    /// Share the budget with all processes that use this file
    #[arg(long, value_name = "FILE", requires = "budget")]
    pub(super) budget_file: Option<PathBuf>,

    /// Let the command write a Retry-After value to this file descriptor: seconds or an HTTP date
    #[arg(long, value_name = "N", value_parser = value_parser!(i32).range(3..=1023))]
    pub(super) retry_after_fd: Option<i32>,

    /// Do not report retries, only warnings and errors
    #[arg(long, short)]
    pub(super) quiet: bool,

    /// Append all events to this file as JSON, apart from what the command prints
    #[arg(long, value_name = "FILE")]
    pub(super) events: Option<PathBuf>,

    /// The command and its arguments
    #[arg(last = true, required = true)]
    pub(super) command: Vec<OsString>,
}

const AFTER: &str = "\
Nothing is repeated that you did not allow: say with --on or --on-any which exit codes mean that
the command may run again. A command that was killed by signal N counts as exit code 128 + N, one
that ran longer than --attempt-timeout as 124. The command can read which attempt it is in
BACKOFF_ATTEMPT (1, 2, ...). All attempts share standard input: an attempt sees what the earlier
ones left.

Examples:
  backoff run full:base=100ms,cap=20s,max_retries=5 --on-any -- make deploy
  backoff run aws-sdk-2026 --on 28 --attempt-timeout 30s -- curl -fsS https://example.com

Exit codes:
  the exit code of the last attempt, or:
  124  the last attempt ran longer than --attempt-timeout
  125  backoff itself failed
  126  the command cannot be executed
  127  the command was not found
  2    invalid arguments
If a signal killed the last attempt, or is why there is no retry, backoff ends by that signal.";

impl Arguments {
    /// The exit codes that may be repeated.
    pub(super) fn codes(&self) -> Result<Codes, clap::Error> {
        let lists = [&self.on, &self.on_throttled, &self.on_timeout];
        Codes::new(lists.map(Vec::as_slice), self.on_any)
            .map_err(|error| crate::command_line().error(ErrorKind::ArgumentConflict, error))
    }
}

fn exit_code(text: &str) -> Result<u8, String> {
    let text = text.trim();
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let code = text.parse().ok().filter(|&code| is_number && code != 0);
    code.ok_or_else(|| format!("{text} is not in 1..=255"))
}

fn positive_duration(text: &str) -> Result<u64, String> {
    match duration(text)? {
        0 => Err("0s is too short".to_owned()),
        duration_ns => Ok(duration_ns),
    }
}
