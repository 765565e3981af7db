//! What the loop of `backoff run` needs of the system. The tests of the loop have a system of their own.

use std::io::{self, ErrorKind};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Error, Result};
use nix::sys::signal::Signal;
use rustix::io::Errno;

use super::arguments::{Arguments, KILL_AFTER_NS};
use super::attempt::{Attempts, Ended};
use super::end::{End, Failure};
use super::report::Report;
use super::retry_after::RetryAfter;
use super::signals::Signals;
use super::streams::Streams;

/// The exit codes of a command that does not run, as for a shell.
const NOT_EXECUTABLE: u8 = 126;
const NOT_FOUND: u8 = 127;

/// Clocks, waits and the command.
pub(super) trait System {
    /// A monotonic clock.
    fn now_ns(&self) -> u64;

    fn unix_ns(&self) -> u64;

    /// Waits. Returns early with the first signal that ends `backoff run`.
    fn sleep(&self, duration_ns: u64) -> Result<Option<Signal>>;

    /// Runs the command to the end of this attempt, the first being 1, which may take as long as the limit.
    fn attempt(&mut self, number: u64, limit_ns: Option<u64>) -> Result<Attempt>;

    /// Writes what the successful attempt has printed. Returns the signal that ended this instead.
    fn write_output(&mut self) -> Result<Option<Signal>>;

    /// Warns of what the attempts share, before the first retry.
    fn warn(&mut self, number: u64);
}

pub(super) enum Attempt {
    Made(Ended),
    /// The command does not run, and the attempt does not count.
    NotMade(End),
}

pub(super) struct Processes<'a> {
    arguments: &'a Arguments,
    report: &'a Report,
    signals: Signals,
    streams: Streams,
    attempts: Attempts<'a>,
    began: Instant,
}

impl<'a> Processes<'a> {
    pub(super) fn begin(
        arguments: &'a Arguments,
        retry_after: Option<RetryAfter>,
        report: &'a Report,
    ) -> Result<Self, Failure> {
        let signals = Signals::block().context("cannot receive signals")?;
        let streams = Streams::begin(arguments, &signals)?;
        let Arguments { command, kill_after, .. } = arguments;
        let attempts = Attempts::new(command, kill_after.unwrap_or(KILL_AFTER_NS), retry_after);
        Ok(Self { arguments, report, signals, streams, attempts, began: Instant::now() })
    }

    /// The end of a command that does not run, which is never repeated.
    fn does_not_run(&self, error: io::Error) -> Result<End> {
        let is_ours = [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE]
            .into_iter()
            .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()));
        let code = if error.kind() == ErrorKind::NotFound { NOT_FOUND } else { NOT_EXECUTABLE };
        let program = self.arguments.command.first().map(|name| name.to_string_lossy());
        let program = program.unwrap_or_default();
        let shown = if program.is_empty() { "''".to_owned() } else { printable(&program) };
        let mut context = format!("cannot run {shown}");
        if code == NOT_FOUND && !program.contains('/') {
            context += " (a function or a builtin of a shell needs `sh -c`)";
        }
        let error = Error::new(error).context(context);
        if is_ours {
            return Err(error);
        }
        self.report.error(&error);
        Ok(End::Exited(code))
    }
}

impl System for Processes<'_> {
    fn now_ns(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn unix_ns(&self) -> u64 {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        u64::try_from(now.as_nanos()).unwrap_or(u64::MAX)
    }

    fn sleep(&self, duration_ns: u64) -> Result<Option<Signal>> {
        let until = Instant::now().checked_add(Duration::from_nanos(duration_ns));
        Ok(self.signals.sleep(until)?.map(|received| received.signal))
    }

    fn attempt(&mut self, number: u64, limit_ns: Option<u64>) -> Result<Attempt> {
        let descriptors = self.streams.open()?;
        match self.attempts.start(number, &descriptors, &self.signals)? {
            Ok(running) => {
                let ended = self.attempts.wait(running, limit_ns, &self.signals, self.report)?;
                Ok(Attempt::Made(ended))
            }
            Err(error) => self.does_not_run(error).map(Attempt::NotMade),
        }
    }

    fn write_output(&mut self) -> Result<Option<Signal>> {
        self.streams.write(&self.signals)
    }

    fn warn(&mut self, number: u64) {
        self.streams.warn(number, self.report);
    }
}

/// A text without characters that control a terminal.
fn printable(text: &str) -> String {
    let shown = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.into() };
    text.chars().map(shown).collect()
}
