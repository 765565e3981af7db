//! How an attempt ended, and how this process ends like it.

use std::fmt;
use std::process::{ExitCode, id};

use anyhow::Error;
use nix::sys::signal::Signal;
use rustix::process::{Resource, Rlimit, WaitStatus, getrlimit, setrlimit};
use signal_hook::low_level::emulate_default_handler;

use super::codes::TIMED_OUT;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Exited(u8),
    Killed(i32),
    TimedOut,
}

impl End {
    pub(super) fn of(status: WaitStatus) -> Self {
        match status.terminating_signal() {
            Some(signal) => Self::Killed(signal),
            None => Self::Exited(status.exit_status().and_then(|c| c.try_into().ok()).unwrap_or(1)),
        }
    }

    /// The exit code, as a shell has it in `$?`.
    pub(super) fn code(self) -> u8 {
        match self {
            Self::Exited(code) => code,
            Self::Killed(signal) => u8::try_from(signal).map_or(u8::MAX, |n| n.saturating_add(128)),
            Self::TimedOut => TIMED_OUT,
        }
    }

    /// Ends this process by the signal of this end. The caller sees the signal then, too; a shell,
    /// for example, ends its script after Ctrl-C. If there is no signal, or it does not end this
    /// process, returns the exit code.
    pub(super) fn exit(self) -> ExitCode {
        // No signal ends the first process of a container.
        if let Self::Killed(signal) = self
            && id() != 1
        {
            // The core dump, if any, is that of the command.
            let maximum = getrlimit(Resource::Core).maximum;
            let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum });
            let _ = emulate_default_handler(signal);
        }
        ExitCode::from(self.code())
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "exited with {code}"),
            Self::Killed(signal) => match Signal::try_from(*signal) {
                Ok(signal) => write!(f, "was killed by {signal}"),
                Err(_) => write!(f, "was killed by signal {signal}"),
            },
            Self::TimedOut => write!(f, "took too long"),
        }
    }
}

/// What keeps the loop from going on.
#[derive(Debug)]
pub(super) enum Failure {
    /// A signal ended `backoff` while it waited.
    Signal(Signal),
    Error(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}
