//! `backoff run`: runs a command, and repeats it when it fails.
//!
//! Signals are blocked from the beginning and read where the loop waits, so none is lost between
//! two steps and none can interrupt one.

mod arguments;
mod codes;
mod help;

#[cfg(unix)]
mod attempt;
#[cfg(unix)]
mod budget_file;
#[cfg(unix)]
mod end;
#[cfg(unix)]
mod events;
#[cfg(unix)]
mod failure;
#[cfg(unix)]
mod job;
#[cfg(unix)]
mod ledger;
#[cfg(unix)]
mod processes;
#[cfg(unix)]
mod repeat;
#[cfg(unix)]
mod report;
#[cfg(unix)]
mod retry_after;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod streams;

use std::process::ExitCode;

#[cfg(unix)]
use anyhow::Context;
use anyhow::Result;
#[cfg(unix)]
use clap::error::ErrorKind;

pub(crate) use self::arguments::Arguments;
use crate::output::Output;
use crate::usage::FAILURE_OF_RUN;
#[cfg(unix)]
use crate::usage::refuse;

#[cfg(unix)]
#[expect(
    clippy::unnecessary_wraps,
    reason = "as for every command; the errors have a code of their own"
)]
pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let codes =
        arguments.codes().unwrap_or_else(|error| refuse(ErrorKind::ArgumentConflict, error));
    let mut report = report::Report::new(output.is_json(), arguments);
    let outlives = signals::outlive_file_limits().context("cannot receive signals");
    Ok(match outlives.and_then(|()| repeat::repeat(arguments, &codes, &mut report)) {
        Ok(end) => end.exit(),
        Err(error) => {
            report.error(&error);
            ExitCode::from(FAILURE_OF_RUN)
        }
    })
}

#[cfg(not(unix))]
pub(crate) fn run(_: &Arguments, _: &mut Output) -> Result<ExitCode> {
    anstream::eprintln!("{} `backoff run` needs a Unix system", crate::output::error_label());
    Ok(ExitCode::from(FAILURE_OF_RUN))
}
