//! The arguments of `backoff run`.

#![cfg_attr(not(unix), allow(dead_code, reason = "only Unix runs commands"))]

use std::ffi::OsString;
use std::path::PathBuf;

use backoff_core::{Field, FieldValue, Policy};
use clap::{ArgGroup, Args, ValueEnum};

use super::codes::{Codes, Range};
use super::help::{AFTER, AFTER_LONG};
use crate::arguments::{BudgetArgument, PolicyArgument, SeedAndKey, duration, number};
use crate::files::conflict;

/// The policy, the exit codes that may be retried, limits, and the command.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("repeatable").required(true).multiple(true),
    after_help = AFTER,
    after_long_help = AFTER_LONG,
)]
pub(crate) struct Arguments {
    /// When to run the command again, such as `full:base=100ms,cap=20s,max_retries=5`
    pub(super) policy: PolicyArgument,

    /// Exit codes after which the command may run again, such as 75,111 or 64-78
    #[arg(long, value_name = "CODES", group = "repeatable")]
    #[arg(value_delimiter = ',', value_parser = exit_codes)]
    on: Vec<Range>,

    /// Exit codes that mean that the server is overloaded (outcome throttled)
    #[arg(long, value_name = "CODES", group = "repeatable")]
    #[arg(value_delimiter = ',', value_parser = exit_codes)]
    on_throttled: Vec<Range>,

    /// Exit codes that mean that no answer came in time (outcome timeout)
    #[arg(long, value_name = "CODES", group = "repeatable")]
    #[arg(value_delimiter = ',', value_parser = exit_codes)]
    on_timeout: Vec<Range>,

    /// Run the command again after any failure except death by SIGPIPE
    #[arg(long, group = "repeatable", conflicts_with = "on")]
    on_any: bool,

    /// Exceptions from --on-any and from ranges: exit codes after which the command never runs again
    #[arg(long, value_name = "CODES", value_delimiter = ',', value_parser = exit_codes)]
    never: Vec<Range>,

    #[command(flatten)]
    pub(super) stream: SeedAndKey,

    /// End an attempt that takes longer, with SIGTERM; `none` for no limit [default: that of the
    /// policy]
    #[arg(long, value_name = "DURATION", value_parser = limit)]
    pub(super) attempt_timeout: Option<u64>,

    /// Send SIGKILL if the attempt has not ended this long after SIGTERM [default: 5s]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(super) kill_after: Option<u64>,

    /// Limit retries with a budget, such as aws-sdk-standard
    #[arg(long)]
    pub(super) budget: Option<BudgetArgument>,

    /// Share the budget with all processes that use this file
    #[arg(long, value_name = "FILE", requires = "budget")]
    pub(super) budget_file: Option<PathBuf>,

    /// Standard input of the attempts: one for all, or the whole of it for each [default: shared]
    #[arg(long, value_name = "HOW")]
    pub(super) stdin: Option<Stdin>,

    /// Standard output: that of all attempts, or only of a successful one [default: passthrough]
    #[arg(long, value_name = "HOW")]
    pub(super) stdout: Option<Stdout>,

    /// Let the command write a Retry-After value to this file descriptor: seconds or an HTTP date
    #[arg(long, value_name = "N", value_parser = number(3..=1023_i32))]
    pub(super) retry_after_fd: Option<i32>,

    /// Do not report retries, only warnings and errors
    #[arg(long, short)]
    pub(super) quiet: bool,

    /// Append all events to this file as JSON, apart from what the command prints
    #[arg(long, value_name = "FILE")]
    pub(super) events: Option<PathBuf>,

    /// Name of this run in --events and --json [default: the key]
    #[arg(long, value_name = "TEXT")]
    pub(super) label: Option<String>,

    /// The command and its arguments
    #[arg(last = true, required = true)]
    pub(super) command: Vec<OsString>,
}

/// `--stdin`: what each attempt reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Stdin {
    /// What the earlier attempts have left
    Shared,
    /// All of it; it is read to its end before the first attempt
    Replay,
}

/// `--stdout`: what is written of what the attempts print.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Stdout {
    /// All of it, at once
    Passthrough,
    /// The output of a successful attempt, when it has ended
    OnSuccess,
}

/// How long after SIGTERM an attempt is killed, by default.
pub(super) const KILL_AFTER_NS: u64 = 5_000_000_000;

/// `--attempt-timeout none`; no duration is as long.
const NO_LIMIT_NS: u64 = u64::MAX;

impl Arguments {
    /// The policy, with the limit of attempts that its option sets.
    pub(super) fn limited_policy(&self) -> Policy {
        let limit = match self.attempt_timeout {
            None => return *self.policy,
            Some(NO_LIMIT_NS) => FieldValue::NoLimit,
            Some(ns) => FieldValue::from_ns(ns),
        };
        let limited = self.policy.to_builder().set(Field::AttemptTimeout, limit);
        limited.build().unwrap_or(*self.policy)
    }

    /// The exit codes that may be retried, or why these arguments cannot be used.
    pub(super) fn codes(&self) -> Result<Codes, String> {
        let files = [("--budget-file", &self.budget_file), ("--events", &self.events)];
        if let Some(conflict) = conflict(&files.map(|(option, path)| (option, path.as_deref()))) {
            return Err(conflict);
        }
        if self.budget_file.is_some()
            && self.budget.as_ref().is_some_and(|budget| budget.kind() == "concurrent")
        {
            return Err("a budget of the kind concurrent cannot be in a file, because a process \
                        that dies would hold its slots for ever"
                .to_owned());
        }
        if self.kill_after.is_some()
            && self.limited_policy().get(Field::AttemptTimeout) == Some(FieldValue::NoLimit)
        {
            return Err("--kill-after needs --attempt-timeout, or attempt_timeout in the policy".to_owned());
        }
        let lists = [&self.on, &self.on_throttled, &self.on_timeout];
        Codes::new(lists.map(Vec::as_slice), self.on_any, &self.never)
    }
}

fn exit_codes(text: &str) -> Result<Range, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("an exit code is missing; write codes such as 75 or 64-78".to_owned());
    }
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.trim(), last.trim()) {
        ("", _) => return Err(format!("{text} has no first exit code, as 64-78 has")),
        (_, "") => return Err(format!("{text} has no last exit code, as 64-78 has")),
        _ => {}
    }
    let (first, last) = (exit_code(first)?, exit_code(last)?);
    if last < first {
        return Err(format!("{text} ends before it begins"));
    }
    Ok(first..=last)
}

fn exit_code(text: &str) -> Result<u8, String> {
    let text = text.trim();
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let code = text.parse().ok().filter(|&code| is_number && code != 0);
    code.ok_or_else(|| match text {
        "0" => "0 is success, and the codes of failures are 1 to 255".to_owned(),
        _ => format!("{text} is not a number from 1 to 255"),
    })
}

fn limit(text: &str) -> Result<u64, String> {
    match text {
        "none" => Ok(NO_LIMIT_NS),
        text => match duration(text)? {
            0 => Err("0s is too short".to_owned()),
            ns => Ok(ns),
        },
    }
}
