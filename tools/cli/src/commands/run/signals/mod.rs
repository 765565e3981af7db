//! The signals that end `backoff run` or are for its command, and the news that a child has changed,
//! as a queue.

#[cfg(any(target_os = "linux", target_os = "android"))]
#[path = "linux.rs"]
mod queue;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
#[path = "portable.rs"]
mod queue;

use std::io;
use std::time::{Duration, Instant};

use nix::sys::signal::{SigSet, Signal};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use self::queue::Queue;

/// The signals that end it.
const ENDING: [Signal; 4] = [Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT, Signal::SIGTERM];

/// The signals that are for the command alone.
const PASSED: [Signal; 4] = [Signal::SIGALRM, Signal::SIGUSR1, Signal::SIGUSR2, Signal::SIGWINCH];

/// The signals that end a wait to look again. A wait that was stopped would otherwise go on for the time
/// that was left.
const CHANGES: [Signal; 2] = [Signal::SIGCHLD, Signal::SIGCONT];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// A child has ended, stopped or continued, or this process has continued.
    Change,
    End(Received),
    Pass(Received),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Received {
    pub(super) signal: Signal,
    /// Whether it is from the terminal, which sends it to all processes of the foreground.
    pub(super) from_terminal: bool,
}

impl Event {
    fn new(signal: Signal, from_terminal: bool) -> Self {
        let received = Received { signal, from_terminal };
        if CHANGES.contains(&signal) {
            Self::Change
        } else if ENDING.contains(&signal) {
            Self::End(received)
        } else {
            Self::Pass(received)
        }
    }
}

fn queued() -> impl Iterator<Item = Signal> {
    ENDING.into_iter().chain(PASSED).chain(CHANGES)
}

/// The queue. It belongs to the only thread of the process.
pub(super) struct Signals(Queue);

impl Signals {
    pub(super) fn block() -> io::Result<Self> {
        Queue::new().map(Self)
    }

    /// The signals that a child begins with blocked: those of the caller of this process.
    pub(super) fn child_mask(&self) -> &SigSet {
        self.0.child_mask()
    }

    pub(super) fn next(&self) -> io::Result<Option<Event>> {
        self.0.next()
    }

    /// Waits until the queue has an entry, the other descriptor is ready, or it is `until`. It may
    /// return early. Says whether the other descriptor is ready.
    pub(super) fn wait(&self, until: Option<Instant>, other: Option<PollFd>) -> io::Result<bool> {
        let timeout = until.map(|until| timespec(until.saturating_duration_since(Instant::now())));
        let queue = PollFd::from_borrowed_fd(self.0.descriptor(), PollFlags::IN);
        let mut all = [queue].into_iter().chain(other).collect::<Vec<_>>();
        match poll(&mut all, timeout.as_ref()) {
            Ok(_) => Ok(all.get(1).is_some_and(|other| !other.revents().is_empty())),
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// The first signal of the queue that ends `backoff run`, if there is one.
    pub(super) fn take_end(&self) -> io::Result<Option<Received>> {
        while let Some(event) = self.next()? {
            if let Event::End(received) = event {
                return Ok(Some(received));
            }
        }
        Ok(None)
    }

    /// Waits until a descriptor is ready. Returns early with the first signal that ends `backoff run`.
    pub(super) fn wait_for(&self, descriptor: &PollFd) -> io::Result<Option<Received>> {
        loop {
            let received = self.take_end()?;
            if received.is_some() || self.wait(None, Some(descriptor.clone()))? {
                return Ok(received);
            }
        }
    }

    /// Waits until a time; `None` never comes. Returns early with the first signal that ends
    /// `backoff run`.
    pub(super) fn sleep(&self, until: Option<Instant>) -> io::Result<Option<Received>> {
        loop {
            if let Some(received) = self.take_end()? {
                return Ok(Some(received));
            }
            if until.is_some_and(|until| until <= Instant::now()) {
                return Ok(None);
            }
            self.wait(until, None)?;
        }
    }
}

/// A time that every kernel accepts; a longer one is waited in parts.
fn timespec(duration: Duration) -> Timespec {
    const DAY: Duration = Duration::from_hours(24);
    let duration = duration.min(DAY);
    Timespec { tv_sec: duration.as_secs().cast_signed(), tv_nsec: duration.subsec_nanos().into() }
}
