//! What a loop tells its hooks, and at its end its caller (SPEC 18.4).

use std::time::Duration;

use backoff_core::{Outcome, StopReason};

/// What a hook is told: before a wait, or at the end of the loop.
#[derive(Debug)]
#[non_exhaustive]
pub struct Event<'a, R> {
    /// The calls so far.
    pub attempts: u64,
    /// Of the last call; `None` if the loop was cancelled.
    pub outcome: Option<Outcome>,
    /// Why the loop stopped; `None` if it waits.
    pub reason: Option<StopReason>,
    /// The wait that follows, or the one that was not begun; zero if there is none.
    pub delay: Duration,
    /// Since the loop began.
    pub elapsed: Duration,
    /// What the last call returned, if it did return.
    pub result: Option<&'a R>,
}

impl<'a, T, E> Event<'a, Result<T, E>> {
    /// The error of the last call, if it returned one.
    #[must_use]
    pub fn error(&self) -> Option<&'a E> {
        self.result?.as_ref().err()
    }

    /// The value of the last call, if it returned one.
    #[must_use]
    pub fn value(&self) -> Option<&'a T> {
        self.result?.as_ref().ok()
    }
}

impl<R> Clone for Event<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Event<'_, R> {}

/// How a loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report<R> {
    /// What the last call returned.
    pub result: R,
    /// Why the loop stopped.
    pub reason: StopReason,
    /// The calls that were made.
    pub attempts: u64,
    /// The wait that was not begun: zero unless a limit of time, the deadline or the budget
    /// stopped the loop.
    pub delay: Duration,
    /// From the beginning to the end.
    pub elapsed: Duration,
}
