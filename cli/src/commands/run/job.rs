//! The process of an attempt, and whom a signal to it reaches.
//!
//! With a controlling terminal the command stays in the process group of `backoff`: only the
//! foreground group may read the terminal, and Ctrl-C and Ctrl-Z reach it by themselves. A signal
//! from elsewhere is passed on to the command alone. Without a terminal the command gets a group of
//! its own, so that a timeout also ends the processes that it has started.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

/// A running command.
pub(super) struct Job {
    child: Child,
    id: Pid,
    has_group: bool,
    status: Option<ExitStatus>,
}

/// Whether this process has a controlling terminal.
pub(super) fn has_terminal() -> bool {
    File::open("/dev/tty").is_ok()
}

impl Job {
    /// Starts the command, in a process group of its own if `has_group`.
    pub(super) fn start(command: &mut Command, has_group: bool) -> io::Result<Self> {
        if has_group {
            command.process_group(0);
        }
        let child = command.spawn()?;
        let id = Pid::from_raw(child.id().try_into().map_err(io::Error::other)?);
        Ok(Self { child, id, has_group, status: None })
    }

    pub(super) fn has_group(&self) -> bool {
        self.has_group
    }

    /// How it ended, if it has.
    pub(super) fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.status = self.child.try_wait()?;
        Ok(self.status)
    }

    /// Sends a signal to the command, if it runs, and to its group, if it has one.
    pub(super) fn signal(&self, signal: Signal) {
        // A process that has just ended is no error.
        let _ = match (self.has_group, self.status) {
            (true, _) => killpg(self.id, signal),
            (false, None) => kill(self.id, signal),
            (false, Some(_)) => Ok(()),
        };
    }

    /// Asks it to end. A stopped process could not obey.
    pub(super) fn terminate(&self) {
        self.signal(Signal::SIGTERM);
        self.signal(Signal::SIGCONT);
    }

    /// Whether processes of its group are left that run.
    pub(super) fn has_members(&self) -> bool {
        self.has_group && killpg(self.id, None).is_ok() && !are_zombies(self.id).unwrap_or(false)
    }
}

/// Whether all processes of a group have ended and only wait for their parent to notice, which in a
/// container may be never. Nothing if this system does not say.
fn are_zombies(group: Pid) -> Option<bool> {
    for entry in fs::read_dir("/proc").ok()?.flatten() {
        let is_process = entry.file_name().as_encoded_bytes().iter().all(u8::is_ascii_digit);
        // The name of the program ends at the last parenthesis. Then follow the state, the parent
        // and the group. A process that is gone has no file.
        if is_process
            && let Ok(stat) = fs::read(entry.path().join("stat"))
            && let Some(end) = stat.iter().rposition(|&byte| byte == b')')
        {
            let rest = String::from_utf8_lossy(&stat[end + 1..]);
            let mut words = rest.split_ascii_whitespace();
            let has_ended = matches!(words.next()?, "Z" | "X");
            if !has_ended && words.nth(1)?.parse() == Ok(group.as_raw()) {
                return Some(false);
            }
        }
    }
    Some(cfg!(target_os = "linux"))
}
