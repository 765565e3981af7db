//! The loop: attempt, decide, wait (SPEC 18).

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use anyhow::Result;
use backoff_core::{Outcome, RandomStream, StopReason};
use nix::sys::signal::Signal;

use super::arguments::Arguments;
use super::attempt::Ended;
use super::codes::Codes;
use super::end::{End, Failure};
use super::operation::BudgetedOperation;
use super::report::{Event, Report};
use super::system::{Attempt, System};
use crate::fields::without_limits;

/// Runs the command until it succeeds or the operation stops, and returns how the last attempt
/// ended, or the signal that ended the wait.
pub(super) fn repeat<S: System>(
    arguments: &Arguments,
    codes: &Codes,
    report: &Report,
    system: Result<S, Failure>,
) -> Result<End> {
    let begin = |system: S| {
        let stream = arguments.stream.stream().unwrap_or_else(random_stream);
        let operation = BudgetedOperation::begin(arguments, stream, &system)?;
        // Before the command exists, a key of the terminal cannot reach it.
        match system.sleep(0)? {
            Some(signal) => Err(Failure::Signal(signal)),
            None => Ok((system, operation)),
        }
    };
    match system.and_then(begin) {
        Ok((mut system, operation)) => attempts(arguments, codes, report, &mut system, operation),
        Err(Failure::Signal(signal)) => {
            report.stop_without_attempt();
            Ok(End::Killed(signal as i32))
        }
        Err(Failure::Error(error)) => Err(error),
    }
}

fn attempts(
    arguments: &Arguments,
    codes: &Codes,
    report: &Report,
    system: &mut impl System,
    mut operation: BudgetedOperation,
) -> Result<End> {
    let began_ns = system.now_ns();
    for number in 1.. {
        let limit_ns = operation.attempt_limit_ns(system);
        let Ended { end, retry_after_ns, interruption } = match system.attempt(number, limit_ns)? {
            Attempt::Made(ended) => ended,
            Attempt::NotMade(end) => return Ok(end),
        };
        let outcome = match end {
            End::TimedOut => codes.met_limit(),
            end => codes.outcome(end.code()),
        };
        let elapsed_ns = system.now_ns().saturating_sub(began_ns);
        let mut event = Event { attempts: number, end, outcome, delay_ns: 0, elapsed_ns };
        if let Some(interruption) = interruption
            && outcome != Outcome::Success
        {
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
        let decision = match operation.decide(outcome, retry_after_ns, system) {
            Ok(decision) => decision,
            Err(Failure::Signal(signal)) => return Ok(ended_by(&event, signal, report)),
            Err(Failure::Error(error)) => {
                report.warning(&error);
                // What cannot be counted is not granted.
                let reason = match outcome {
                    Outcome::Success => StopReason::Success,
                    Outcome::Permanent => StopReason::Permanent,
                    _ => StopReason::Budget,
                };
                return last(event, reason, system, report);
            }
        };
        event.delay_ns = decision.delay_ns();
        if let Some(reason) = decision.stop_reason() {
            return last(event, reason, system, report);
        }
        system.warn(number);
        if number == 1 && without_limits(&arguments.policy) == *arguments.policy {
            report.no_limit(&arguments.policy.text);
        }
        report.retry(&event);
        if let Some(signal) = system.sleep(event.delay_ns)? {
            event.delay_ns = 0;
            event.elapsed_ns = system.now_ns().saturating_sub(began_ns);
            report.stop(&event, StopReason::Cancelled);
            report.wait_ended_by(signal);
            return Ok(End::Killed(signal as i32));
        }
    }
    unreachable!("an operation has at most 2^32 retries")
}

/// The end of the last attempt. The output of a success is written before the event that reports it.
fn last(
    mut event: Event,
    mut reason: StopReason,
    system: &mut impl System,
    report: &Report,
) -> Result<End> {
    let instead = if reason == StopReason::Success { system.write_output()? } else { None };
    match instead {
        None => {}
        // Nobody reads: as it would have ended the command, which would not run again.
        Some(Signal::SIGPIPE) => {
            (event.end, event.outcome) = (End::Killed(Signal::SIGPIPE as i32), Outcome::Permanent);
            reason = StopReason::Permanent;
        }
        Some(signal) => return Ok(ended_by(&event, signal, report)),
    }
    report.stop(&event, reason);
    Ok(event.end)
}

fn ended_by(event: &Event, signal: Signal, report: &Report) -> End {
    report.stop(event, StopReason::Cancelled);
    report.ended_by(event, signal);
    End::Killed(signal as i32)
}

/// The stream of a user who sets no seed. A loop starts even if the system has no entropy.
fn random_stream() -> RandomStream {
    RandomStream::from_entropy()
        .unwrap_or_else(|_| RandomStream::from_seed(RandomState::new().hash_one(())))
}
