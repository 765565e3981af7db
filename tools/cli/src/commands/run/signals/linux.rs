//! The queue of Linux: the signals are blocked and read from a descriptor, which also says whether
//! the terminal sent them.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use nix::sys::signal::{SigSet, SigmaskHow, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

use super::{Event, queued};
use crate::signals::is_ignored;

/// The `si_code` of a signal that the kernel sent by itself, as a terminal does.
const SI_KERNEL: i32 = 0x80;

pub(super) struct Queue {
    descriptor: SignalFd,
    /// The mask of the caller of this process.
    original: SigSet,
}

impl Queue {
    /// Signals that the caller of this process ignores, as `nohup` does, stay ignored.
    pub(super) fn new() -> io::Result<Self> {
        if is_ignored(Signal::SIGCHLD) {
            // The kernel would forget how children ended. A handler undoes that.
            let flag = Arc::new(AtomicBool::new(false));
            signal_hook::flag::register(Signal::SIGCHLD as i32, flag)?;
        }
        let is_wanted = |&signal: &Signal| signal == Signal::SIGCHLD || !is_ignored(signal);
        let blocked: SigSet = queued().filter(is_wanted).collect();
        let original = blocked.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
        let flags = SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC;
        Ok(Self { descriptor: SignalFd::with_flags(&blocked, flags)?, original })
    }

    pub(super) fn child_mask(&self) -> &SigSet {
        &self.original
    }

    pub(super) fn next(&self) -> io::Result<Option<Event>> {
        let Some(info) = self.descriptor.read_signal()? else { return Ok(None) };
        let signal = queued().find(|&signal| signal as u32 == info.ssi_signo);
        // When a terminal closes, only the leader of its session hears of it.
        let is_for_all = |signal| info.ssi_code == SI_KERNEL && signal != Signal::SIGHUP;
        Ok(signal.map(|signal| Event::new(signal, is_for_all(signal))))
    }

    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}
