//! The retry loop of one request, which tower drives: the loop's calls and waits are tower's.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use backoff_retry::{Clock, Retry, RetryEvent, Verdict};

pub(super) type Hook = Arc<dyn Fn(&RetryEvent<'_, Verdict>) + Send + Sync>;

/// A loop that goes on when it gets the verdict on an attempt. It is cancelled when it is dropped.
pub(super) struct Session {
    run: Pin<Box<dyn Future<Output = Verdict> + Send>>,
    exchange: Exchange,
    /// Whether there was a verdict.
    pub(super) has_verdict: bool,
}

/// What the loop and its driver tell each other.
#[derive(Clone, Default)]
struct Exchange(Arc<Mutex<(Option<Verdict>, Option<Duration>)>>);

impl Exchange {
    fn lock(&self) -> MutexGuard<'_, (Option<Verdict>, Option<Duration>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The attempt: over once there is a verdict.
    fn attempt(&self) -> impl Future<Output = Verdict> + Send + use<> {
        let exchange = self.clone();
        poll_fn(move |_| exchange.lock().0.take().map_or(Poll::Pending, Poll::Ready))
    }

    /// The wait: over once there is the verdict on the attempt after it.
    fn wait(&self, delay: Duration) -> impl Future<Output = ()> + Send + use<> {
        self.lock().1 = Some(delay);
        let exchange = self.clone();
        poll_fn(move |_| if exchange.lock().0.is_some() { Poll::Ready(()) } else { Poll::Pending })
    }
}

impl Session {
    /// Begins an operation and its first attempt.
    pub(super) fn begin<C>(retry: &Retry<'static, C>, on_retry: Hook, on_stop: Hook) -> Self
    where
        C: Clock + Clone + Send + 'static,
    {
        let exchange = Exchange::default();
        let (waits, attempts) = (exchange.clone(), exchange.clone());
        let run = retry
            .clone()
            .sleep(move |delay| waits.wait(delay))
            .classify(|verdict: &Verdict| *verdict)
            .on_retry(move |event| on_retry(event))
            .on_stop(move |event| on_stop(event))
            .call_async(move || attempts.attempt());
        let mut session = Self { run: Box::pin(run), exchange, has_verdict: false };
        let _ = session.go_on(Waker::noop());
        session
    }

    /// Ends an attempt. Returns the wait before the next one, or `None` if there is none.
    pub(super) fn end_attempt(&mut self, verdict: Verdict) -> Option<Duration> {
        self.has_verdict = true;
        self.exchange.lock().0 = Some(verdict);
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        while self.go_on(&waker).is_pending() {
            let wait = self.exchange.lock().1.take();
            if wait.is_some() {
                return wait;
            }
            // It asks a shared budget. Tower wants to know at once, so this thread waits.
            thread::park();
        }
        None
    }

    /// Lets the loop go on as far as it can without its driver.
    fn go_on(&mut self, waker: &Waker) -> Poll<Verdict> {
        self.run.as_mut().poll(&mut Context::from_waker(waker))
    }
}

/// Wakes a thread that waits for the answer of a budget.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
