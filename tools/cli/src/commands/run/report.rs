//! What `backoff run` says, on standard error: standard output belongs to the command.

use std::fmt::Display;
use std::io::stderr;
use std::path::Path;

use anyhow::{Result, anyhow};
use backoff_core::{Outcome, StopReason};
use nix::sys::signal::Signal;
use serde::Serialize;

use super::arguments::Arguments;
use super::end::End;
use super::events::{Events, is_writable};
use crate::duration::humanize;
use crate::output::{error_label, message};

/// Reports as text or as lines of JSON. What cannot be written is lost: the command is worth more.
pub(super) struct Report {
    json: bool,
    quiet: bool,
    events: Events,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Event {
    pub(super) attempts: u64,
    pub(super) end: End,
    pub(super) outcome: Outcome,
    pub(super) delay_ns: u64,
    pub(super) elapsed_ns: u64,
}

#[derive(Serialize)]
struct Decision<'a> {
    event: &'a str,
    attempts: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    delay_ns: String,
    elapsed_ns: String,
}

#[derive(Serialize)]
struct Message {
    event: &'static str,
    message: String,
}

impl Report {
    pub(super) fn new(json: bool, arguments: &Arguments) -> Self {
        Self { json, quiet: arguments.quiet, events: Events::new(arguments) }
    }

    pub(super) fn open(&mut self, path: &Path) -> Result<()> {
        if !self.events.open(path)? {
            let path = path.display();
            self.warning(&anyhow!(
                "nobody reads the pipe {path} of --events; no events are written"
            ));
        }
        Ok(())
    }

    pub(super) fn retry(&self, event: &Event) {
        self.event("retry", event, None);
        self.say_after(event, format_args!("retry in {}", humanize(event.delay_ns)));
    }

    /// At the end. A success, and a failure that may not be repeated, speak for themselves; a
    /// timeout does not: the command did not fail by itself.
    pub(super) fn stop(&self, event: &Event, reason: StopReason) {
        let why = match reason {
            StopReason::MaxRetries if event.attempts == 1 => "the policy allows no retries",
            StopReason::MaxRetries => "all retries were made",
            StopReason::MaxElapsed => "the wait would end after max_elapsed",
            StopReason::Budget => "the budget allows no retry",
            StopReason::Permanent if event.end == End::TimedOut => {
                "--never has its exit code, 124"
            }
            _ => "",
        };
        self.event("stop", event, Some(reason));
        if !why.is_empty() {
            self.say_after(event, why);
        }
    }

    /// At the end, if a signal came before the first attempt.
    pub(super) fn stop_without_attempt(&self) {
        let line = Decision {
            event: "stop",
            attempts: 0,
            code: None,
            signal: None,
            outcome: None,
            reason: Some(StopReason::Cancelled.name()),
            delay_ns: "0".to_owned(),
            elapsed_ns: "0".to_owned(),
        };
        self.json(!self.quiet, &line);
    }

    /// At the end, if the last attempt was made and a signal is why there is no other.
    pub(super) fn no_retry_after(&self, event: &Event, signal: Signal) {
        self.say_after(event, format_args!("there is no retry after {signal}"));
    }

    /// At the end, if `backoff` ends by a signal that is not the end of the last attempt.
    pub(super) fn ended_by(&self, event: &Event, signal: Signal) {
        self.say_after(event, format_args!("ended by {signal}"));
    }

    /// At the end, if a signal ended the wait for the next attempt.
    pub(super) fn wait_ended_by(&self, signal: Signal) {
        self.say(format_args!("{signal} ended the wait; there is no retry"));
    }

    /// Before the first wait under a policy without a limit (SPEC 18.1).
    pub(super) fn no_limit(&self, policy: &str) {
        let message = format!(
            "policy {policy} has no limit, so the command may run for ever; add max_retries=3 or \
             max_elapsed=10m"
        );
        self.say(&message);
        self.json(!self.quiet, &Message { event: "warning", message });
    }

    /// What went wrong without changing the result, quiet or not.
    pub(super) fn warning(&self, error: &anyhow::Error) {
        self.json(true, &Message { event: "warning", message: format!("{error:#}") });
        if !self.json {
            print(&format!("backoff: {error:#}"));
        }
    }

    /// Why `backoff` failed, quiet or not.
    pub(super) fn error(&self, error: &anyhow::Error) {
        self.json(true, &Message { event: "error", message: format!("{error:#}") });
        if !self.json {
            print(&format!("{} {error:#}", error_label()));
        }
    }

    /// Says something about the last attempt, unless the user wants JSON or nothing.
    fn say_after(&self, Event { attempts, end, .. }: &Event, what: impl Display) {
        self.say(format_args!("attempt {attempts} {end}; {what}"));
    }

    fn say(&self, what: impl Display) {
        if !self.json && !self.quiet {
            print(&format!("backoff: {what}"));
        }
    }

    fn event(&self, name: &str, event: &Event, reason: Option<StopReason>) {
        let signal = match event.end {
            End::Killed(signal) => Some(signal),
            _ => None,
        };
        let line = Decision {
            event: name,
            attempts: event.attempts,
            code: Some(event.end.code()),
            signal,
            // A call that a signal may have ended says nothing (SPEC 18.4).
            outcome: (reason != Some(StopReason::Cancelled)).then(|| event.outcome.name()),
            reason: reason.map(StopReason::name),
            delay_ns: event.delay_ns.to_string(),
            elapsed_ns: event.elapsed_ns.to_string(),
        };
        self.json(!self.quiet, &line);
    }

    fn json(&self, is_printed: bool, event: &impl Serialize) {
        let line = self.events.line(event);
        if let Some(line) = line.filter(|_| self.json && is_printed) {
            print(&line);
        }
    }
}

/// Prints a line, unless nobody reads it.
fn print(line: &str) {
    if is_writable(stderr()) {
        message(line);
    }
}
