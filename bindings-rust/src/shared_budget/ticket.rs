//! A request that waits for the store: as a future, or in the thread.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use crate::shared_budget::pending::Answer;
use crate::shared_budget::worker::Inner;
use crate::sync::Instant;
use crate::sync::thread::{self, Thread};

/// A request for a retry. Its future needs no runtime: a thread of the budget ends the wait.
pub(crate) struct Ticket {
    inner: Arc<Inner>,
    id: u64,
    until: Instant,
    is_watched: bool,
}

impl Ticket {
    pub(super) const fn new(inner: Arc<Inner>, id: u64, until: Instant) -> Self {
        Self { inner, id, until, is_watched: false }
    }

    /// Waits in this thread.
    pub(crate) fn wait(mut self) -> Answer {
        // This thread ends its own wait.
        self.is_watched = true;
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut context = Context::from_waker(&waker);
        loop {
            if let Poll::Ready(answer) = Pin::new(&mut self).poll(&mut context) {
                return answer;
            }
            match self.until.checked_duration_since(Instant::now()) {
                Some(left) if !left.is_zero() => thread::park_timeout(left),
                _ => self.inner.expire(),
            }
        }
    }
}

impl Future for Ticket {
    type Output = Answer;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Answer> {
        let poll = self.inner.with(|pending, _| pending.poll(self.id, context.waker()));
        if poll.is_pending() && !self.is_watched {
            self.is_watched = true;
            self.inner.start_watching();
        }
        poll
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.inner.with(|pending, _| pending.forget(self.id));
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
