//! `backoff run`: runs a command, and repeats it when it fails.
//!
//! Signals are blocked from the beginning and read where the loop waits, so none is lost between
//! two steps and none can interrupt one.

pub(crate) mod account;
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
mod job;
#[cfg(unix)]
mod operation;
#[cfg(all(unix, test))]
mod play;
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
#[cfg(unix)]
mod system;

use std::process::ExitCode;

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
    Ok(match try_run(arguments, &codes, &mut report) {
        Ok(end) => end.exit(),
        Err(error) => {
            report.error(&error);
            ExitCode::from(FAILURE_OF_RUN)
        }
    })
}

#[cfg(unix)]
fn try_run(
    arguments: &Arguments,
    codes: &codes::Codes,
    report: &mut report::Report,
) -> Result<end::End> {
    // Before every other descriptor, which might take its number.
    let retry_after = arguments.retry_after_fd.map(retry_after::RetryAfter::take).transpose()?;
    if let Some(path) = &arguments.events {
        report.open(path)?;
    }
    let system = system::Processes::begin(arguments, retry_after, report);
    repeat::repeat(arguments, codes, report, system)
}

#[cfg(not(unix))]
pub(crate) fn run(_: &Arguments, _: &mut Output) -> Result<ExitCode> {
    anstream::eprintln!("{} `backoff run` needs a Unix system", crate::output::error_label());
    Ok(ExitCode::from(FAILURE_OF_RUN))
}
