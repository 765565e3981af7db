//! A manual clock, failures, and a record of the events that hooks received.

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use backoff_core::ffi;
use backoff_retry::{Budget, RandomStream, Retry, RetryEvent, RetryStats};

pub(crate) fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A clock, and the waits that moved it.
#[derive(Default)]
pub(crate) struct Time {
    now: Cell<Duration>,
    waits: RefCell<Vec<Duration>>,
}

impl Time {
    pub(crate) fn now(&self) -> Duration {
        self.now.get()
    }

    pub(crate) fn waits(&self) -> Vec<Duration> {
        self.waits.borrow().clone()
    }

    pub(crate) fn wait(&self, delay: Duration) {
        self.now.set(self.now() + delay);
        self.waits.borrow_mut().push(delay);
    }
}

/// Retries with a policy and a fixed stream.
pub(crate) fn retry(policy: &str) -> Retry<'static> {
    Retry::with_stream(policy.parse().unwrap(), RandomStream::from_key(42, "job-1"))
}

/// The events that hooks received, one line each.
#[derive(Default)]
pub(crate) struct Seen(Mutex<Vec<String>>);

impl Seen {
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn note(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    pub(crate) fn retry<T: std::fmt::Debug>(&self, event: &RetryEvent<'_, T>) {
        self.event("retry", event);
    }

    pub(crate) fn stop<T: std::fmt::Debug>(&self, event: &RetryEvent<'_, T>) {
        self.event("stop", event);
    }

    fn event<T: std::fmt::Debug>(&self, hook: &str, event: &RetryEvent<'_, T>) {
        let RetryEvent { attempts, result, reason, .. } = event;
        self.note(format!("{hook} {attempts}: {result:?}, {reason:?}"));
    }
}

/// The tokens and counts of a budget, for comparison with another budget's.
pub(crate) fn budget_state(budget: &Budget) -> [u64; ffi::BUDGET_WORDS] {
    ffi::budget_to_words(budget)
}

/// All counts, for comparison with other stats.
pub(crate) fn counts(stats: &RetryStats) -> [u64; ffi::STATS_WORDS] {
    ffi::stats_to_words(stats)
}

/// The output of a future that is never pending.
pub(crate) fn at_once<F: Future>(future: F) -> F::Output {
    poll_once(future).expect("the future is ready")
}

/// Polls a future once and drops it. Returns its output if it was ready.
pub(crate) fn poll_once<F: Future>(future: F) -> Option<F::Output> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}
