//! The loop: attempt, decide, wait (SPEC 18).

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result};
use backoff_core::{Outcome, RandomStream, StopReason};
use nix::sys::signal::Signal;
use rustix::io::Errno;

use super::arguments::Arguments;
use super::attempt::{Attempts, Ended};
use super::codes::Codes;
use super::end::End;
use super::failure::Failure;
use super::ledger::Ledger;
use super::report::{Event, Report};
use super::retry_after::RetryAfter;
use super::signals::Signals;
use super::streams::Streams;
use crate::fields::without_limits;

/// The exit codes of a command that does not run, as for a shell.
const NOT_EXECUTABLE: u8 = 126;
const NOT_FOUND: u8 = 127;

/// Runs the command until it succeeds or the operation stops, and returns how the last attempt
/// ended, or the signal that ended the wait.
pub(super) fn repeat(arguments: &Arguments, codes: &Codes, report: &mut Report) -> Result<End> {
    // Before every other descriptor, which might take its number.
    let retry_after = arguments.retry_after_fd.map(RetryAfter::take).transpose()?;
    if let Some(path) = &arguments.events {
        report.open(path)?;
    }
    let report = &*report;
    let signals = Signals::block().context("cannot receive signals")?;
    // A signal before the first attempt.
    let cancelled = |signal: Signal| {
        report.stop_without_attempt();
        Ok(End::Killed(signal as i32))
    };
    let mut streams = match Streams::begin(arguments, &signals) {
        Ok(streams) => streams,
        Err(Failure::Signal(signal)) => return cancelled(signal),
        Err(Failure::Error(error)) => return Err(error),
    };
    let Arguments { command, attempt_timeout, kill_after, .. } = arguments;
    let mut attempts = Attempts::new(command, *attempt_timeout, *kill_after, retry_after);
    let stream = arguments.stream.stream().unwrap_or_else(random_stream);
    let mut ledger = match Ledger::begin(arguments, stream, &signals) {
        Ok(ledger) => ledger,
        Err(Failure::Signal(signal)) => return cancelled(signal),
        Err(Failure::Error(error)) => return Err(error),
    };
    // Before the command exists, a key of the terminal cannot reach it.
    if let Some(received) = signals.take_end().inspect_err(|_| ledger.cancel())? {
        ledger.cancel();
        return cancelled(received.signal);
    }
    let began = Instant::now();
    for number in 1.. {
        let descriptors = streams.open().inspect_err(|_| ledger.cancel())?;
        let running = match attempts.start(number, &descriptors, &signals) {
            Ok(Ok(running)) => running,
            Ok(Err(error)) => {
                ledger.cancel();
                return does_not_run(arguments, error, report);
            }
            Err(error) => {
                ledger.cancel();
                return Err(error);
            }
        };
        let Ended { end, retry_after_ns, interruption } =
            attempts.wait(running, &signals, report).inspect_err(|_| ledger.cancel())?;
        let outcome = codes.outcome(end.code());
        let elapsed_ns = || u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let mut event =
            Event { attempts: number, end, outcome, delay_ns: 0, elapsed_ns: elapsed_ns() };
        if let Some(interruption) = interruption
            && outcome != Outcome::Success
        {
            ledger.cancel();
            report.stop(&event, StopReason::Cancelled);
            // The exit code of a command that handles the signal is its answer to it. Any other
            // command would run again, so only the signal ends the loop.
            let is_answer = interruption.is_handled || outcome == Outcome::Permanent;
            let last = if is_answer { end } else { End::Killed(interruption.signal as i32) };
            if last == end {
                report.no_retry_after(&event, interruption.signal);
            } else {
                report.ended_by(&event, interruption.signal);
            }
            return Ok(last);
        }
        let decision = match ledger.decide(outcome, retry_after_ns) {
            Ok(decision) => decision,
            Err(Failure::Signal(signal)) => {
                ledger.cancel();
                report.stop(&event, StopReason::Cancelled);
                report.ended_by(&event, signal);
                return Ok(End::Killed(signal as i32));
            }
            Err(Failure::Error(error)) => {
                report.warning(&error);
                // What cannot be counted is not granted.
                let reason = match outcome {
                    Outcome::Success => StopReason::Success,
                    Outcome::Permanent => StopReason::Permanent,
                    _ => StopReason::Budget,
                };
                return last(event, reason, &mut streams, &signals, report);
            }
        };
        event.delay_ns = decision.delay_ns();
        if let Some(reason) = decision.stop_reason() {
            return last(event, reason, &mut streams, &signals, report);
        }
        streams.warn(number, report);
        if number == 1 && without_limits(&arguments.policy) == *arguments.policy {
            report.no_limit(&arguments.policy.text);
        }
        report.retry(&event);
        let until = Instant::now().checked_add(Duration::from_nanos(event.delay_ns));
        let received = signals.sleep(until).inspect_err(|_| ledger.cancel())?;
        if let Some(received) = received {
            ledger.cancel();
            event.delay_ns = 0;
            event.elapsed_ns = elapsed_ns();
            report.stop(&event, StopReason::Cancelled);
            report.wait_ended_by(received.signal);
            return Ok(End::Killed(received.signal as i32));
        }
    }
    unreachable!("an operation has at most 2^32 retries")
}

/// The end of the last attempt. The output of a success is written before the event that reports it.
fn last(
    mut event: Event,
    mut reason: StopReason,
    streams: &mut Streams,
    signals: &Signals,
    report: &Report,
) -> Result<End> {
    let instead = if reason == StopReason::Success { streams.write(signals)? } else { None };
    match instead {
        None => {}
        // Nobody reads: as it would have ended the command, which would not run again.
        Some(Signal::SIGPIPE) => {
            (event.end, event.outcome) = (End::Killed(Signal::SIGPIPE as i32), Outcome::Permanent);
            reason = StopReason::Permanent;
        }
        Some(signal) => {
            report.stop(&event, StopReason::Cancelled);
            report.ended_by(&event, signal);
            return Ok(End::Killed(signal as i32));
        }
    }
    report.stop(&event, reason);
    Ok(event.end)
}

/// The stream of a user who sets no seed. A loop starts even if the system has no entropy.
fn random_stream() -> RandomStream {
    RandomStream::from_entropy()
        .unwrap_or_else(|_| RandomStream::from_seed(RandomState::new().hash_one(())))
}

/// The end of a command that does not run, which is never repeated.
fn does_not_run(arguments: &Arguments, error: io::Error, report: &Report) -> Result<End> {
    let is_ours = [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE]
        .into_iter()
        .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()));
    let code = if error.kind() == ErrorKind::NotFound { NOT_FOUND } else { NOT_EXECUTABLE };
    let program = arguments.command.first().map(|name| name.to_string_lossy()).unwrap_or_default();
    let mut context = format!("cannot run {}", printable(&program));
    if code == NOT_FOUND && !program.contains('/') {
        context += " (a function or a builtin of a shell needs `sh -c`)";
    }
    let error = Error::new(error).context(context);
    if is_ours {
        return Err(error);
    }
    report.error(&error);
    Ok(End::Exited(code))
}

/// A text without characters that control a terminal.
fn printable(text: &str) -> String {
    let shown = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.into() };
    text.chars().map(shown).collect()
}
