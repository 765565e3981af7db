//! The process of an attempt, and whom a signal to it reaches.
//!
//! With a controlling terminal the command stays in the process group of `backoff`: only the
//! foreground group may read the terminal, and Ctrl-C and Ctrl-Z reach it by themselves. A signal
//! from elsewhere is passed on to the command alone. Without a terminal the command gets a group of
//! its own, so that a timeout also ends the processes that it has started.

use std::env::vars_os;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use nix::errno::Errno;
use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawnp};
use nix::sys::signal::{SigSet, Signal, kill, killpg};
use nix::unistd::Pid;
use rustix::process::{WaitOptions, WaitStatus, waitpid};

use super::signals::signals_of;

/// The number of the attempt, for the command.
const ATTEMPT: &str = "BACKOFF_ATTEMPT";

/// A running command.
pub(super) struct Job {
    id: Pid,
    has_group: bool,
    status: Option<WaitStatus>,
}

/// Whether this process has a controlling terminal.
pub(super) fn has_terminal() -> bool {
    File::open("/dev/tty").is_ok()
}

impl Job {
    /// Starts the command, in a process group of its own if `has_group`. `mask` are the signals
    /// that it begins with blocked; the standard library would block those of this process.
    pub(super) fn start(
        command: &[OsString],
        attempt: u64,
        mask: &SigSet,
        has_group: bool,
    ) -> io::Result<Self> {
        let mut attributes = PosixSpawnAttr::init()?;
        let mut flags =
            PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF | PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK;
        attributes.set_sigmask(mask)?;
        // Rust ignores it.
        let mut default = SigSet::empty();
        default.add(Signal::SIGPIPE);
        attributes.set_sigdefault(&default)?;
        if has_group {
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
        let actions = PosixSpawnFileActions::init()?;
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
        Ok(Self { id, has_group, status: None })
    }

    pub(super) fn has_group(&self) -> bool {
        self.has_group
    }

    /// How it ended, if it has.
    pub(super) fn try_wait(&mut self) -> io::Result<Option<WaitStatus>> {
        if self.status.is_none() {
            let id = rustix::process::Pid::from_raw(self.id.as_raw());
            self.status = waitpid(id, WaitOptions::NOHANG)?.map(|(_, status)| status);
        }
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

    /// Whether the command runs and has a handler for a signal. If this system does not say, it has
    /// one.
    pub(super) fn handles(&self, signal: Signal) -> bool {
        self.status.is_none()
            && signals_of(self.id, "SigCgt:")
                .is_none_or(|handled| handled >> (signal as u32 - 1) & 1 == 1)
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

/// An error of this process does not leave the command behind.
impl Drop for Job {
    fn drop(&mut self) {
        if self.status.is_none() {
            self.signal(Signal::SIGKILL);
        }
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
