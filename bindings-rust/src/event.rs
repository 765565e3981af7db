//! What a loop reports to its hooks and, at its end, to its caller (SPEC 18.4).

use std::time::Duration;

use backoff_core::{Outcome, StopReason};

/// What a hook receives, before a wait or at the end of the loop.
///
/// ```
/// use backoff_retry::{Retry, RetryEvent};
/// fn log(event: &RetryEvent<'_, Result<u8, &str>>) {
///     println!("attempt {}: {:?}, waiting {:?}", event.attempts, event.error(), event.delay);
/// }
/// let mut results = [Err("busy"), Ok(7)].into_iter();
/// let retry = Retry::default().sleep(|_| {});
/// let result = retry.when(|_: &&str| true).on_retry(log).call(|| results.next().unwrap());
/// assert_eq!(result, Ok(7));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct RetryEvent<'a, R> {
    /// The number of calls so far.
    pub attempts: u64,
    /// The outcome of the last call; `None` if the loop was cancelled.
    pub outcome: Option<Outcome>,
    /// Why the loop stopped; `None` if it is about to wait.
    pub reason: Option<StopReason>,
    /// The wait that follows. At the end of the loop, the wait that `max_elapsed`, the deadline or
    /// the budget prevented; zero for every other reason, also for `max_retries`.
    pub delay: Duration,
    /// The time since the loop began.
    pub elapsed: Duration,
    /// Whether the local budget decided on this retry, because the store of a `SharedBudget` was
    /// away. `false` with any other budget.
    pub budget_is_local: bool,
    /// The result of the last call; `None` if there was no call, or the call did not return.
    pub result: Option<&'a R>,
}

impl<R> RetryEvent<'_, R> {
    /// This event for a hook that does not know the type of the result.
    pub(crate) fn without_result(&self) -> RetryEvent<'static, ()> {
        let Self { attempts, outcome, reason, delay, elapsed, budget_is_local, .. } = *self;
        RetryEvent { attempts, outcome, reason, delay, elapsed, budget_is_local, result: None }
    }
}

impl<'a, T, E> RetryEvent<'a, Result<T, E>> {
    /// The error of the last call, if it returned one.
    ///
    /// ```
    /// use backoff_retry::Retry;
    /// let mut errors = Vec::new();
    /// let plan = Retry::default().when(|_: &&str| false);
    /// let plan = plan.on_stop(|event| errors.extend(event.error().copied()));
    /// let _ = plan.call(|| Err::<(), _>("no"));
    /// assert_eq!(errors, ["no"]);
    /// ```
    #[must_use]
    pub fn error(&self) -> Option<&'a E> {
        self.result?.as_ref().err()
    }

    /// The value of the last call, if it returned one.
    ///
    /// ```
    /// use backoff_retry::Retry;
    /// let mut values = Vec::new();
    /// let plan = Retry::default().when(|_: &&str| false);
    /// let _ = plan.on_stop(|event| values.extend(event.value().copied())).call(|| Ok(7));
    /// assert_eq!(values, [7]);
    /// ```
    #[must_use]
    pub fn value(&self) -> Option<&'a T> {
        self.result?.as_ref().ok()
    }
}

impl<R> Clone for RetryEvent<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for RetryEvent<'_, R> {}

/// How a loop ended.
///
/// ```
/// use backoff_retry::{Report, Retry, StopReason};
/// let plan = Retry::new("constant:base=0s,max_retries=2".parse()?).when(|_: &&str| true);
/// let Report { result, reason, attempts, .. } = plan.call_with_report(|| Err::<(), _>("busy"));
/// assert_eq!((result, reason, attempts), (Err("busy"), StopReason::MaxRetries, 3));
/// # Ok::<(), backoff_retry::ParseError>(())
/// ```
///
/// A report holds the result, so the compiler warns if it is unused:
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// backoff_retry::Retry::default().when(|_: &&str| true).call_with_report(|| Err::<(), _>("busy"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[must_use = "the report holds the result of the last call"]
pub struct Report<R> {
    /// The result of the last call.
    pub result: R,
    /// Why the loop stopped.
    pub reason: StopReason,
    /// The number of calls.
    pub attempts: u64,
    /// The wait that `max_elapsed`, the deadline or the budget prevented; zero for every other
    /// reason, also for `max_retries`.
    pub delay: Duration,
    /// The time from the beginning to the end.
    pub elapsed: Duration,
}

impl<R> Report<R> {
    /// The result, or what this function makes of it if the loop gave up: if it stopped for another reason than
    /// a success or a cancellation.
    ///
    /// ```
    /// use backoff_retry::Retry;
    /// let plan = Retry::new("constant:base=0s,max_retries=2".parse()?).when(|_: &&str| true);
    /// let cached = plan.call_with_report(|| Err("busy")).fallback(|_| Ok(7));
    /// assert_eq!(cached, Ok(7));
    /// # Ok::<(), backoff_retry::ParseError>(())
    /// ```
    pub fn fallback(self, fallback: impl FnOnce(R) -> R) -> R {
        match self.reason {
            StopReason::Success | StopReason::Cancelled => self.result,
            _ => fallback(self.result),
        }
    }
}
