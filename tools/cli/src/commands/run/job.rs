//! The process of an attempt, and whom a signal to it reaches.
//!
//! With a controlling terminal the command stays in the process group of `backoff`: only the
//! foreground group may read the terminal, and Ctrl-C and Ctrl-Z reach it by themselves. A signal
//! from elsewhere is passed on to the command alone. Without a terminal the command gets a group of
//! its own.
//!
//! A timeout also ends the processes that the command has started, so that they do not run beside
//! the next attempt: those of its group or, on a terminal, its descendants in the common group. So
//! that none is lost whose parent ends first, they become children of this process (Linux).

use std::env::vars_os;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::RawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::thread::sleep;
use std::time::Duration;

use nix::errno::Errno;
use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawnp};
use nix::sys::signal::{SigSet, Signal, kill, killpg};
use nix::unistd::Pid;
use rustix::process::{WaitOptions, WaitStatus, wait};

use super::processes::{descendants, runs_in_group, started};
use crate::signals::signals_of;

const ATTEMPT: &str = "BACKOFF_ATTEMPT";

/// How often processes that were killed are looked for again, 1 ms apart: they may start others.
const KILLS: u32 = 1000;

/// The processes that a timeout ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Those of the command's own process group.
    Group,
    /// The command and its descendants that share the group of this process.
    Descendants,
    /// The command alone.
    Command,
}

pub(super) struct Job {
    id: Pid,
    reach: Reach,
    /// When it started, if this system says so.
    started: Option<u64>,
    status: Option<WaitStatus>,
}

impl Reach {
    /// What is possible with or without a controlling terminal.
    pub(super) fn new() -> Self {
        if File::open("/dev/tty").is_err() {
            Self::Group
        } else if adopts_orphans() {
            Self::Descendants
        } else {
            Self::Command
        }
    }
}

/// Makes orphaned descendants children of this process, if this system can do that.
fn adopts_orphans() -> bool {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let is_done = rustix::process::set_child_subreaper(Some(rustix::process::getpid())).is_ok();
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let is_done = false;
    is_done
}

impl Job {
    /// Starts the command. `mask` are the signals that it begins with blocked; the standard library
    /// would block those of this process. It gets the first descriptor of each pair as the second.
    pub(super) fn start(
        command: &[OsString],
        attempt: u64,
        mask: &SigSet,
        reach: Reach,
        descriptors: &[(RawFd, RawFd)],
    ) -> io::Result<Self> {
        let mut attributes = PosixSpawnAttr::init()?;
        let mut flags =
            PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF | PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK;
        attributes.set_sigmask(mask)?;
        // Rust ignores it.
        let mut default = SigSet::empty();
        default.add(Signal::SIGPIPE);
        attributes.set_sigdefault(&default)?;
        if reach == Reach::Group {
            flags |= PosixSpawnFlags::POSIX_SPAWN_SETPGROUP;
            attributes.set_pgroup(Pid::from_raw(0))?;
        }
        attributes.set_flags(flags)?;
        let text = |bytes: &OsStr| CString::new(bytes.as_bytes());
        let arguments = command.iter().map(|part| text(part)).collect::<Result<Vec<_>, _>>()?;
        let program = arguments.first().ok_or(io::ErrorKind::NotFound)?;
        let variables = vars_os().filter(|(name, _)| name != ATTEMPT);
        let variables = variables.chain([(ATTEMPT.into(), attempt.to_string().into())]);
        let variable = |(name, value): (OsString, OsString)| {
            CString::new([&name.into_vec()[..], b"=", &value.into_vec()].concat())
        };
        let variables = variables.map(variable).collect::<Result<Vec<_>, _>>()?;
        let mut actions = PosixSpawnFileActions::init()?;
        for &(ours, its) in descriptors {
            actions.add_dup2(ours, its)?;
        }
        let spawn = |program: &CStr, arguments: &[CString]| {
            posix_spawnp(program, &actions, &attributes, arguments, &variables)
        };
        let id = match spawn(program, &arguments) {
            // A script without `#!`: a shell runs it, as for `execvp`.
            Err(Errno::ENOEXEC) => {
                let shell = [c"sh", c"-c", c"exec \"$0\" \"$@\""].map(CStr::to_owned);
                spawn(c"/bin/sh", &[&shell[..], &arguments].concat())
            }
            id => id,
        }?;
        Ok(Self { id, reach, started: started(id), status: None })
    }

    pub(super) fn has_group(&self) -> bool {
        self.reach == Reach::Group
    }

    /// How the command ended, if it has. Orphans that have ended are taken away.
    pub(super) fn try_wait(&mut self) -> io::Result<Option<WaitStatus>> {
        while self.status.is_none() {
            let Some((id, status)) = wait(WaitOptions::NOHANG)? else { break };
            self.status = (id.as_raw_nonzero().get() == self.id.as_raw()).then_some(status);
        }
        Ok(self.status)
    }

    /// Sends a signal to the command, if it runs, and to its group, if it has one.
    pub(super) fn signal(&self, signal: Signal) {
        // A process that has just ended is no error.
        let _ = match (self.has_group(), self.status) {
            (true, _) => killpg(self.id, signal),
            (false, None) => kill(self.id, signal),
            (false, Some(_)) => Ok(()),
        };
    }

    /// Sends a signal to the command, and to all that it has started as far as they are known.
    fn signal_all(&self, signal: Signal) {
        self.signal(signal);
        for id in self.descendants().unwrap_or_default() {
            if id != self.id {
                // One that has just ended is no error.
                let _ = kill(id, signal);
            }
        }
    }

    /// The command and its descendants, if a timeout ends them one by one.
    fn descendants(&self) -> Option<Vec<Pid>> {
        let started = self.started.filter(|_| self.reach == Reach::Descendants)?;
        descendants(started)
    }

    /// Whether the command runs and has a handler for a signal. If this system does not say, it has
    /// one.
    pub(super) fn handles(&self, signal: Signal) -> bool {
        self.status.is_none()
            && signals_of(self.id, "SigCgt:")
                .is_none_or(|handled| handled >> (signal as u32 - 1) & 1 == 1)
    }

    /// Asks all to end. A stopped process could not obey.
    pub(super) fn terminate(&self) {
        self.signal_all(Signal::SIGTERM);
        self.signal_all(Signal::SIGCONT);
    }

    pub(super) fn kill(&self) {
        self.signal_all(Signal::SIGKILL);
        for _ in 0..KILLS {
            if self.descendants().is_none_or(|left| left.is_empty()) {
                break;
            }
            sleep(Duration::from_millis(1));
            self.signal_all(Signal::SIGKILL);
        }
    }

    /// Whether the command or a process that it has started is left that a timeout ends.
    pub(super) fn has_members(&self) -> bool {
        match self.reach {
            Reach::Group => killpg(self.id, None).is_ok() && runs_in_group(self.id).unwrap_or(true),
            Reach::Descendants => self.descendants().is_some_and(|left| !left.is_empty()),
            Reach::Command => false,
        }
    }
}

/// An error of this process does not leave the command behind.
impl Drop for Job {
    fn drop(&mut self) {
        if self.status.is_none() {
            self.kill();
        }
    }
}
