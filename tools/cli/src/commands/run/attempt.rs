//! One attempt: the command runs until it ends, takes too long, or a signal ends `backoff`.

use std::ffi::OsString;
use std::io;
use std::os::fd::RawFd;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use nix::sys::signal::Signal;
use rustix::event::{PollFd, PollFlags};

use super::end::End;
use super::job::{Job, Reach};
use super::report::Report;
use super::retry_after::{Reader, RetryAfter};
use super::signals::{Event, Received, Signals};

/// How often a group is asked whether it has members left.
const GROUP_INTERVAL: Duration = Duration::from_millis(10);

pub(super) struct Attempts<'a> {
    command: &'a [OsString],
    kill_after: Duration,
    retry_after: Option<RetryAfter>,
    reach: Reach,
}

pub(super) struct Ended {
    pub(super) end: End,
    pub(super) retry_after_ns: Option<u64>,
    pub(super) interruption: Option<Interruption>,
}

/// The first signal that ended `backoff` during the attempt.
#[derive(Debug, Clone, Copy)]
pub(super) struct Interruption {
    pub(super) signal: Signal,
    /// Whether the command had a handler for it.
    pub(super) is_handled: bool,
    at: Instant,
}

impl Interruption {
    pub(super) fn new(signal: Signal, is_handled: bool) -> Self {
        Self { signal, is_handled, at: Instant::now() }
    }
}

impl<'a> Attempts<'a> {
    pub(super) fn new(
        command: &'a [OsString],
        kill_after_ns: u64,
        retry_after: Option<RetryAfter>,
    ) -> Self {
        Self {
            command,
            kill_after: Duration::from_nanos(kill_after_ns),
            retry_after,
            reach: Reach::new(),
        }
    }

    /// Starts the command for this attempt, the first being 1. It gets the first descriptor of each
    /// pair as the second. The inner error is that of the command, which cannot be executed.
    pub(super) fn start(
        &mut self,
        number: u64,
        descriptors: &[(RawFd, RawFd)],
        signals: &Signals,
    ) -> Result<io::Result<(Job, Option<Reader>)>> {
        let open = || "cannot open a pipe for --retry-after-fd";
        let reader = self.retry_after.as_mut().map(RetryAfter::open).transpose();
        let reader = reader.with_context(open)?;
        let mask = signals.child_mask();
        let job = Job::start(self.command, number, mask, self.reach, descriptors);
        self.retry_after.as_mut().map(RetryAfter::close).transpose().with_context(open)?;
        Ok(job.map(|job| (job, reader)))
    }

    pub(super) fn wait(
        &self,
        (job, reader): (Job, Option<Reader>),
        limit_ns: Option<u64>,
        signals: &Signals,
        report: &Report,
    ) -> Result<Ended> {
        let mut running = Running {
            job,
            reader,
            signals,
            kill_after: self.kill_after,
            timer: limit_ns.and_then(|ns| Instant::now().checked_add(Duration::from_nanos(ns))),
            timed_out: false,
            interruption: None,
        };
        let end = running.end().context("cannot wait for the command")?;
        let retry_after = running.reader.map_or(Ok(None), Reader::value);
        let retry_after_ns = retry_after.unwrap_or_else(|error| {
            report.warning(&error);
            None
        });
        Ok(Ended { end, retry_after_ns, interruption: running.interruption })
    }
}

struct Running<'a> {
    job: Job,
    reader: Option<Reader>,
    signals: &'a Signals,
    kill_after: Duration,
    /// When the attempt takes too long, and later when it is killed.
    timer: Option<Instant>,
    timed_out: bool,
    interruption: Option<Interruption>,
}

impl Running<'_> {
    fn end(&mut self) -> io::Result<End> {
        loop {
            // In this order, so that news of the child which come after it end the wait.
            if let Some(end) = self.receive_all()? {
                return Ok(end);
            }
            let status = self.job.try_wait()?;
            if let Some(status) = status {
                // A key of the terminal that ended the command has reached this queue, too.
                if let Some(end) = self.receive_all()? {
                    return Ok(end);
                }
                if self.timed_out {
                    self.end_group()?;
                    return Ok(End::TimedOut);
                }
                return Ok(End::of(status));
            }
            if let Some(reader) = &mut self.reader {
                reader.read();
            }
            self.check_timer();
            let descriptor = self.reader.as_ref().and_then(Reader::descriptor);
            let descriptor = descriptor.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN));
            self.signals.wait(self.timer, descriptor)?;
        }
    }

    fn receive_all(&mut self) -> io::Result<Option<End>> {
        while let Some(event) = self.signals.next()? {
            match event {
                Event::Change => {}
                Event::Pass(received) => self.pass(received),
                Event::End(received) => {
                    if let Some(end) = self.receive(received) {
                        return Ok(Some(end));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Passes a signal on. A second one ends the attempt at once.
    fn receive(&mut self, received: Received) -> Option<End> {
        if let Some(first) = self.interruption {
            let is_same = first.signal == received.signal
                && first.at.elapsed() < same_request(received.signal);
            if is_same && !received.from_terminal {
                return None;
            }
            self.job.kill();
            return Some(End::Killed(received.signal as i32));
        }
        // The time before the command can react: what its reaction causes is another signal.
        self.interrupt(received.signal);
        self.pass(received);
        None
    }

    /// In the group of the terminal the command already has what the terminal sent.
    fn pass(&self, received: Received) {
        if self.job.has_group() || !received.from_terminal {
            self.job.signal(received.signal);
        }
    }

    fn interrupt(&mut self, signal: Signal) {
        self.interruption = Some(Interruption::new(signal, self.job.handles(signal)));
    }

    fn check_timer(&mut self) {
        if self.timer.is_none_or(|timer| Instant::now() < timer) {
            return;
        }
        if self.timed_out {
            self.job.kill();
            self.timer = None;
        } else {
            self.job.terminate();
            self.timed_out = true;
            self.timer = Instant::now().checked_add(self.kill_after);
        }
    }

    /// Waits until the processes that the command has started have ended, too, and kills them when
    /// the time is over. The next attempt should not run at the same time.
    fn end_group(&mut self) -> io::Result<()> {
        while self.job.has_members() {
            if self.timer.is_none_or(|timer| timer <= Instant::now()) {
                self.job.kill();
                return Ok(());
            }
            if let Some(received) =
                self.signals.sleep(Instant::now().checked_add(GROUP_INTERVAL))?
            {
                self.job.kill();
                self.interrupt(received.signal);
                return Ok(());
            }
        }
        Ok(())
    }
}

/// A repetition of a signal within this time is the same request: `timeout` and shells send it to
/// the process and then to its group. Whoever sends SIGINT again has seen no effect of the first.
fn same_request(signal: Signal) -> Duration {
    match signal {
        Signal::SIGTERM | Signal::SIGHUP => Duration::from_millis(100),
        _ => Duration::from_micros(500),
    }
}
