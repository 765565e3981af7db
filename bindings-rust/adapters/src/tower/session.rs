//! The retry loop of one request, which tower drives: the loop's calls and waits are tower's.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use backoff_retry::{Clock, Retry, RetryEvent, Verdict};

/// Gets the event, whose result is an `A`, and what is about the request, a `B`.
pub(super) type Hook<A, B> = Arc<dyn Fn(&RetryEvent<'_, A>, &B) + Send + Sync>;

/// A loop that goes on when it gets the end of an attempt. It is cancelled when it is dropped.
pub(super) struct Session<A, B> {
    run: Pin<Box<dyn Future<Output = A> + Send>>,
    exchange: Exchange<A>,
    pub(super) about: Arc<B>,
    /// Whether an attempt has ended.
    pub(super) has_verdict: bool,
}

/// What the loop and its driver tell each other: the end of an attempt, and a wait.
struct Exchange<A>(Arc<Mutex<(Option<A>, Option<Duration>)>>);

impl<A> Clone for Exchange<A> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<A: Send + 'static> Exchange<A> {
    fn lock(&self) -> MutexGuard<'_, (Option<A>, Option<Duration>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The attempt: over once it has ended.
    fn attempt(&self) -> impl Future<Output = A> + Send + use<A> {
        let exchange = self.clone();
        poll_fn(move |_| exchange.lock().0.take().map_or(Poll::Pending, Poll::Ready))
    }

    /// The wait: over once the attempt after it has ended.
    fn wait(&self, delay: Duration) -> impl Future<Output = ()> + Send + use<A> {
        self.lock().1 = Some(delay);
        let exchange = self.clone();
        poll_fn(move |_| if exchange.lock().0.is_some() { Poll::Ready(()) } else { Poll::Pending })
    }
}

impl<A: Send + 'static, B: Send + Sync + 'static> Session<A, B> {
    /// Begins an operation and its first attempt.
    pub(super) fn begin<C>(
        retry: &Retry<'static, C>,
        about: B,
        verdict: fn(&A) -> Verdict,
        on_retry: Hook<A, B>,
        on_stop: Hook<A, B>,
    ) -> Self
    where
        C: Clock + Clone + Send + 'static,
    {
        let exchange = Exchange(Arc::default());
        let about = Arc::new(about);
        let for_hooks = (Arc::clone(&about), Arc::clone(&about));
        let (waits, attempts) = (exchange.clone(), exchange.clone());
        let run = retry
            .clone()
            .sleep(move |delay| waits.wait(delay))
            .classify(verdict)
            .on_retry(move |event| on_retry(event, &for_hooks.0))
            .on_stop(move |event| on_stop(event, &for_hooks.1))
            .call_async(move || attempts.attempt());
        let mut session = Self { run: Box::pin(run), exchange, about, has_verdict: false };
        let _ = session.go_on(Waker::noop());
        session
    }

    /// Ends an attempt. Returns the wait before the next one, or `None` if there is none.
    pub(super) fn end_attempt(&mut self, attempt: A) -> Option<Duration> {
        self.has_verdict = true;
        self.exchange.lock().0 = Some(attempt);
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
    fn go_on(&mut self, waker: &Waker) -> Poll<A> {
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
