//! One loop: its own options, and the calls that run it.

use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
use std::time::Instant;

use crate::classify::{ByResult, Classify, WhenEither, WhenError};
use crate::event::RetryEvent;
use crate::program;
use crate::retry::Retry;
use crate::time::{DefaultSleep, Monotonic};
use crate::verdict::IntoVerdict;

/// One operation, ready to run (SPEC 18): calls a function until it succeeds, fails permanently, or
/// a limit, the budget or the caller stops it.
///
/// [`Retry::when`](crate::Retry::when) and [`Retry::classify`](crate::Retry::classify) make one. A
/// loop is `Clone` if its functions are.
///
/// The hooks are set here, after `when` or `classify`, because they receive the loop's type of
/// result.
///
/// A panic in [`Loop::on_retry`], a classification or a sleep ends the loop: the operation is
/// cancelled and counted as such, no further hook runs, and the panic continues. A panic in the
/// called function cancels the loop, and [`Loop::on_stop`] runs, unless the clock panics then.
///
/// A loop keeps the result of the last call while it waits, and drops it before the next call.
///
/// ```
/// use backoff_retry::Retry;
/// let plan = Retry::new("constant:base=0s,max_retries=2".parse()?).when(|_: &&str| true);
/// assert_eq!(plan.clone().call_with_report(|| Err::<(), _>("busy")).attempts, 3);
/// assert_eq!(plan.call(|| Ok(())), Ok(()));
/// # Ok::<(), backoff_retry::ParseError>(())
/// ```
///
/// The options of a `Retry` are set before `when` or `classify`. After it they do not compile:
///
/// ```compile_fail,E0277
/// let budget = backoff_retry::Budget::parse("sre").unwrap();
/// let plan = backoff_retry::Retry::default().when(|()| true).budget(&budget);
/// # let _ = plan.call(|| Err::<(), _>(()));
/// ```
#[must_use = "a loop does nothing until it is called"]
pub struct Loop<
    'a,
    R,
    V,
    C = Monotonic,
    S = DefaultSleep,
    N = fn(&RetryEvent<'_, R>),
    P = fn(&RetryEvent<'_, R>),
> {
    pub(crate) retry: Retry<'a, C, S>,
    /// A time of the clock.
    pub(crate) deadline: Option<Duration>,
    pub(crate) classify: V,
    pub(crate) on_retry: N,
    pub(crate) on_stop: P,
    /// Whether the caller set a hook.
    pub(crate) has_hook: bool,
    result: PhantomData<fn() -> R>,
}

impl<'a, C: Clone, S: Clone> Retry<'a, C, S> {
    /// Makes a loop that retries an error if this function returns `true`, a retryable
    /// [`Outcome`](crate::Outcome), or a [`Verdict`](crate::Verdict) with one. `true` stands for
    /// `Transient`, and `false` for a permanent failure. Every `Ok` is a success.
    ///
    /// A closure that calls a method of its argument or reads a field must name the type:
    /// `|error: &Error| ..`.
    ///
    /// ```
    /// use backoff_retry::{Outcome, Retry, StopReason};
    /// let retry = Retry::default();
    /// let plan = retry.when(|status: &u16| Outcome::from_http_status(*status));
    /// let report = plan.call_with_report(|| Err::<(), _>(404));
    /// assert_eq!((report.reason, report.attempts), (StopReason::Permanent, 1));
    /// ```
    pub fn when<T, E, V, W>(&self, when: W) -> Loop<'a, Result<T, E>, WhenError<W>, C, S>
    where
        V: IntoVerdict,
        W: FnMut(&E) -> V,
    {
        self.by(WhenError(when))
    }

    /// Makes a loop that retries on results of any type. `true` means retry and `false` means
    /// success, even for an `Err`, also in the stats and the budget. For polling, and for results
    /// that are not a `Result`; for a `Result` use [`Retry::when`] and [`Loop::when_value`].
    ///
    /// A closure that calls a method of its argument or reads a field must name the type:
    /// `|result: &Option<i32>| ..`.
    ///
    /// ```
    /// use backoff_retry::Retry;
    /// let mut answers = [None, None, Some(7)].into_iter();
    /// let answer = Retry::new("constant:base=1s".parse()?)
    ///     .sleep(|_| {})
    ///     .classify(|answer: &Option<i32>| answer.is_none())
    ///     .call(|| answers.next().flatten());
    /// assert_eq!(answer, Some(7));
    /// # Ok::<(), backoff_retry::ParseError>(())
    /// ```
    pub fn classify<R, V, X>(&self, classify: X) -> Loop<'a, R, ByResult<X>, C, S>
    where
        V: IntoVerdict,
        X: FnMut(&R) -> V,
    {
        self.by(ByResult(classify))
    }

    fn by<R, V: Classify<R>>(&self, classify: V) -> Loop<'a, R, V, C, S> {
        Loop {
            retry: self.clone(),
            deadline: None,
            classify,
            on_retry: |_| {},
            on_stop: |_| {},
            has_hook: false,
            result: PhantomData,
        }
    }
}

impl<'a, R, V, C, S, N, P> Loop<'a, R, V, C, S, N, P> {
    /// Sets the hook that runs before each wait. It replaces an earlier one.
    ///
    /// ```
    /// use {backoff_retry::Retry, std::time::Duration};
    /// let mut delays = Vec::new();
    /// let retry = Retry::new("linear:base=1ms,max_retries=2".parse()?);
    /// let plan = retry.when(|_: &&str| true).on_retry(|event| delays.push(event.delay));
    /// let _ = plan.call(|| Err::<(), _>("busy"));
    /// assert_eq!(delays, [Duration::from_millis(1), Duration::from_millis(2)]);
    /// # Ok::<(), backoff_retry::ParseError>(())
    /// ```
    pub fn on_retry<M>(self, on_retry: M) -> Loop<'a, R, V, C, S, M, P>
    where
        M: FnMut(&RetryEvent<'_, R>),
    {
        let Self { retry, deadline, classify, on_stop, result, .. } = self;
        Loop { retry, deadline, classify, on_retry, on_stop, has_hook: true, result }
    }

    /// Sets the hook that runs once, at the end of the loop, whatever the reason, also when the
    /// loop's future is dropped. It replaces an earlier one.
    ///
    /// If it panics while a future is dropped, the panic leaves the `drop`. While the thread already
    /// unwinds, the panic of the hook is discarded and the first one continues. The hook does not
    /// run if the clock panics, as the event has a time.
    ///
    /// ```
    /// use backoff_retry::{Retry, StopReason};
    /// let mut reason = None;
    /// let plan = Retry::default().when(|_: &&str| true).on_stop(|event| reason = event.reason);
    /// let _ = plan.call(|| Ok(()));
    /// assert_eq!(reason, Some(StopReason::Success));
    /// ```
    pub fn on_stop<M>(self, on_stop: M) -> Loop<'a, R, V, C, S, N, M>
    where
        M: FnMut(&RetryEvent<'_, R>),
    {
        let Self { retry, deadline, classify, on_retry, result, .. } = self;
        Loop { retry, deadline, classify, on_retry, on_stop, has_hook: true, result }
    }

    /// This loop with a classification made of its own.
    pub(crate) fn reclassify<X>(self, make: impl FnOnce(V) -> X) -> Loop<'a, R, X, C, S, N, P> {
        let Self { retry, deadline, classify, on_retry, on_stop, has_hook, result } = self;
        let classify = make(classify);
        Loop { retry, deadline, classify, on_retry, on_stop, has_hook, result }
    }

    /// Whether the time changes anything that the caller sees, apart from the report.
    pub(crate) fn needs_time(&self) -> bool {
        let has_limit = self.deadline.is_some() || self.retry.policy.need_time();
        self.has_hook || self.retry.budget.is_some() || has_limit
    }

    /// Whether anything has to know of a success at the first call, or of its time.
    pub(crate) fn is_watched(&self) -> bool {
        self.retry.is_watched || self.has_hook || self.deadline.is_some() || program::has_defaults()
    }
}

impl<'a, T, E, W, C, S, N, P> Loop<'a, Result<T, E>, WhenError<W>, C, S, N, P> {
    /// Also retries the values for which this function returns `true`; `false` is a success. For
    /// polling. If the retries end, the last value is returned as `Ok` all the same: `call_with_report` says why the
    /// loop ended.
    ///
    /// ```
    /// let mut results = [Err("busy"), Ok("pending"), Ok("done")].into_iter();
    /// let retry = backoff_retry::Retry::default().sleep(|_| {});
    /// let plan = retry.when(|_: &&str| true).when_value(|status| *status == "pending");
    /// assert_eq!(plan.call(|| results.next().unwrap()), Ok("done"));
    ///
    /// let plan = retry.when(|_: &&str| true).when_value(|status| *status == "pending");
    /// let report = plan.call_with_report(|| Ok("pending"));
    /// assert_eq!((report.result, report.reason), (Ok("pending"), backoff_retry::StopReason::MaxRetries));
    /// ```
    pub fn when_value<V, X>(self, when: X) -> Loop<'a, Result<T, E>, WhenEither<W, X>, C, S, N, P>
    where
        V: IntoVerdict,
        X: FnMut(&T) -> V,
    {
        let Self { retry, deadline, classify, on_retry, on_stop, has_hook, result } = self;
        let classify = WhenEither(classify.0, when);
        Loop { retry, deadline, classify, on_retry, on_stop, has_hook, result }
    }
}

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
impl<R, V, S, N, P> Loop<'_, R, V, Monotonic, S, N, P> {
    /// Sets a deadline. A wait that would end after this instant is never started. It does not
    /// interrupt a call, and a deadline that has passed still allows the first call.
    ///
    /// This method exists for the default clock only. After [`Retry::clock`](crate::Retry::clock)
    /// use [`Loop::deadline_at`].
    ///
    /// ```
    /// use backoff_retry::{Retry, StopReason};
    /// use std::time::{Duration, Instant};
    /// let retry = Retry::new("constant:base=1h".parse()?);
    /// let plan = retry.when(|_: &&str| true).deadline(Instant::now() + Duration::from_secs(3));
    /// assert_eq!(plan.call_with_report(|| Err::<(), _>("busy")).reason, StopReason::Deadline);
    /// # Ok::<(), backoff_retry::ParseError>(())
    /// ```
    ///
    /// A deadline is not a duration. The policy's `max_elapsed` limits how long a loop may take:
    ///
    /// ```compile_fail,E0308
    /// use std::time::Duration;
    /// let retry = backoff_retry::Retry::default();
    /// let _ = retry.when(|()| true).deadline(Duration::from_secs(3)).call(|| Err::<(), _>(()));
    /// ```
    pub fn deadline(mut self, deadline: Instant) -> Self {
        self.deadline = Some(Monotonic::at(deadline));
        self
    }
}

impl<R, V, C: Fn() -> Duration, S, N, P> Loop<'_, R, V, C, S, N, P> {
    /// Sets a deadline as a time of the clock that [`Retry::clock`](crate::Retry::clock) set. A wait
    /// that would end after it is never started. It does not interrupt a call, and a deadline that
    /// has passed still allows the first call.
    ///
    /// ```
    /// use backoff_retry::{Retry, StopReason};
    /// use std::time::Duration;
    /// let retry = Retry::new("constant:base=1h".parse()?).clock(|| Duration::from_secs(100));
    /// let plan = retry.when(|_: &&str| true).deadline_at(Duration::from_secs(103));
    /// assert_eq!(plan.call_with_report(|| Err::<(), _>("busy")).reason, StopReason::Deadline);
    /// # Ok::<(), backoff_retry::ParseError>(())
    /// ```
    pub fn deadline_at(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }
}

impl<R, V: Clone, C: Clone, S: Clone, N: Clone, P: Clone> Clone for Loop<'_, R, V, C, S, N, P> {
    fn clone(&self) -> Self {
        let Self { retry, deadline, classify, on_retry, on_stop, has_hook, result } = self;
        Self {
            retry: retry.clone(),
            deadline: *deadline,
            classify: classify.clone(),
            on_retry: on_retry.clone(),
            on_stop: on_stop.clone(),
            has_hook: *has_hook,
            result: *result,
        }
    }
}

impl<R, V, C, S, N, P> fmt::Debug for Loop<'_, R, V, C, S, N, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.retry.fmt_as("Loop", f)
    }
}
