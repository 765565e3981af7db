//! The queue of Unix systems without a descriptor of signals: handlers that write to a socket. It
//! cannot tell who sent a signal, so it takes SIGINT, SIGQUIT and SIGWINCH for those of the terminal.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use nix::sys::signal::{SigSet, Signal};
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::SignalOnly;

use super::{Event, queued};

pub(super) struct Queue {
    // A second one, because the delivery lends its own only together with itself.
    socket: UnixStream,
    delivery: RefCell<SignalDelivery<UnixStream, SignalOnly>>,
    pending: RefCell<VecDeque<Event>>,
    /// The mask of the caller of this process, which stays.
    original: SigSet,
}

impl Queue {
    pub(super) fn new() -> io::Result<Self> {
        let (read, write) = UnixStream::pair()?;
        let socket = read.try_clone()?;
        let signals = queued().map(|signal| signal as i32);
        let delivery = SignalDelivery::with_pipe(read, write, SignalOnly::default(), signals)?;
        let original = SigSet::thread_get_mask()?;
        let delivery = RefCell::new(delivery);
        Ok(Self { socket, delivery, pending: RefCell::default(), original })
    }

    pub(super) fn child_mask(&self) -> &SigSet {
        &self.original
    }

    pub(super) fn next(&self) -> io::Result<Option<Event>> {
        let mut pending = self.pending.borrow_mut();
        if pending.is_empty() {
            pending.extend(self.delivery.borrow_mut().pending().filter_map(event));
        }
        Ok(pending.pop_front())
    }

    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

fn event(number: i32) -> Option<Event> {
    let signal = queued().find(|&signal| signal as i32 == number)?;
    let from_terminal = matches!(signal, Signal::SIGINT | Signal::SIGQUIT | Signal::SIGWINCH);
    Some(Event::new(signal, from_terminal))
}
