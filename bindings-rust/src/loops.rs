//! A loop, ready to be run: what may be repeated is said, and who is told.

use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
use std::time::Instant;

use crate::classify::{Classify, WhenEither, WhenError, Whole};
use crate::event::Event;
use crate::retry::Retry;
use crate::time::{Clock, DefaultSleep, Monotonic};
use crate::verdict::IntoVerdict;

/// The attempts of one operation, ready to be made (SPEC 18): calls a function until it succeeds,
/// fails for good, or a limit, the budget or the caller ends it.
///
/// Made by [`Retry::when`] and its siblings. It is `Clone` if its functions are.
///
/// A hook or a classification that panics ends the loop with that panic: the operation is
/// cancelled, the history counts it so, and no further hook is called. A function that panics is
/// a loop that is given up, with its [`Loop::on_stop`].
#[must_use = "a loop does nothing until it is called"]
pub struct Loop<
    'a,
    R,
    V,
    C = Monotonic,
    S = DefaultSleep,
    N = fn(&Event<'_, R>),
    P = fn(&Event<'_, R>),
> {
    pub(crate) retry: Retry<'a, C, S>,
    pub(crate) deadline: Option<Duration>,
    pub(crate) classify: V,
    pub(crate) on_retry: N,
    pub(crate) on_stop: P,
    result: PhantomData<fn() -> R>,
}

impl<'a, R, V, C, S> Loop<'a, R, V, C, S> {
    pub(crate) fn new(retry: Retry<'a, C, S>, classify: V) -> Self {
        let result = PhantomData;
        Self { retry, deadline: None, classify, on_retry: |_| {}, on_stop: |_| {}, result }
    }
}

impl<'a, C: Clock + Clone, S: Clone> Retry<'a, C, S> {
    /// A loop that repeats what failed with an error of which this function says that it may be
    /// repeated: `true` ([`Outcome::Transient`](crate::Outcome)), an outcome, or a
    /// [`Verdict`](crate::Verdict) with a hint. `false` is a permanent failure; every value is a
    /// success.
    pub fn when<T, E, V, W>(&self, when: W) -> Loop<'a, Result<T, E>, WhenError<W>, C, S>
    where
        V: IntoVerdict,
        W: FnMut(&E) -> V,
    {
        self.by(WhenError(when))
    }

    /// A loop that repeats what returned a value of which this function says so, whatever its
    /// type: `true` goes on, `false` is a success. For polling, and for results that are more than
    /// a value or an error.
    ///
    /// An `Err` is a value here, and `false` for it a success, in the report, the history and the
    /// budget: for a `Result` take [`Retry::when`], and [`Loop::when_value`].
    ///
    /// ```
    /// use backoff_retry::Retry;
    /// use std::time::Duration;
    /// let mut answers = [None, None, Some(7)].into_iter();
    /// let answer = Retry::new("constant:base=1s".parse()?)
    ///     .sleep(|_| {})
    ///     .classify(|answer: &Option<i32>| answer.is_none())
    ///     .call(|| answers.next().flatten());
    /// assert_eq!(answer, Some(7));
    /// # Ok::<(), backoff_retry::ParseError>(())
    /// ```
    pub fn classify<R, V, X>(&self, classify: X) -> Loop<'a, R, Whole<X>, C, S>
    where
        V: IntoVerdict,
        X: FnMut(&R) -> V,
    {
        self.by(Whole(classify))
    }

    fn by<R, V: Classify<R>>(&self, classify: V) -> Loop<'a, R, V, C, S> {
        Loop::new(self.clone(), classify)
    }
}

impl<'a, R, V, C, S, N, P> Loop<'a, R, V, C, S, N, P> {
    /// With a hook that is told before each wait. It replaces the one before.
    pub fn on_retry<M>(self, on_retry: M) -> Loop<'a, R, V, C, S, M, P>
    where
        M: FnMut(&Event<'_, R>),
    {
        let Self { retry, deadline, classify, on_stop, result, .. } = self;
        Loop { retry, deadline, classify, on_retry, on_stop, result }
    }

    /// With a hook that is told once, at the end of the loop, whatever the reason; also when its
    /// future is dropped. It replaces the one before.
    pub fn on_stop<M>(self, on_stop: M) -> Loop<'a, R, V, C, S, N, M>
    where
        M: FnMut(&Event<'_, R>),
    {
        let Self { retry, deadline, classify, on_retry, result, .. } = self;
        Loop { retry, deadline, classify, on_retry, on_stop, result }
    }
}

impl<'a, T, E, W, C, S, N, P> Loop<'a, Result<T, E>, WhenError<W>, C, S, N, P> {
    /// Repeats also what returned a value of which this function says so: `true` goes on, `false`
    /// is a success. For polling.
    pub fn when_value<V, X>(self, when: X) -> Loop<'a, Result<T, E>, WhenEither<W, X>, C, S, N, P>
    where
        V: IntoVerdict,
        X: FnMut(&T) -> V,
    {
        let Self { retry, deadline, classify: WhenError(error), on_retry, on_stop, result } = self;
        let classify = WhenEither(error, when);
        Loop { retry, deadline, classify, on_retry, on_stop, result }
    }
}

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
impl<R, V, S, N, P> Loop<'_, R, V, Monotonic, S, N, P> {
    /// With an instant after which no wait may end: `Instant::now() + Duration::from_secs(3)`.
    ///
    /// A call that goes on is not stopped by it. How long the loop may take is another thing,
    /// `max_elapsed` of the policy, and no deadline:
    ///
    /// ```compile_fail,E0308
    /// use std::time::Duration;
    /// let retry = backoff_retry::Retry::default();
    /// let _ = retry.when(|()| true).deadline(Duration::from_secs(3)).call(|| Err::<(), _>(()));
    /// ```
    pub fn deadline(self, deadline: Instant) -> Self {
        Self { deadline: Some(Monotonic::at(deadline)), ..self }
    }
}

impl<R, V, C: Fn() -> Duration, S, N, P> Loop<'_, R, V, C, S, N, P> {
    /// With a time of the clock that was handed in after which no wait may end:
    /// `now() + Duration::from_secs(3)`.
    ///
    /// A call that goes on is not stopped by it.
    pub fn deadline_at(self, deadline: Duration) -> Self {
        Self { deadline: Some(deadline), ..self }
    }
}

impl<R, V: Clone, C: Clone, S: Clone, N: Clone, P: Clone> Clone for Loop<'_, R, V, C, S, N, P> {
    fn clone(&self) -> Self {
        Self {
            retry: self.retry.clone(),
            deadline: self.deadline,
            classify: self.classify.clone(),
            on_retry: self.on_retry.clone(),
            on_stop: self.on_stop.clone(),
            result: PhantomData,
        }
    }
}

impl<R, V, C: fmt::Debug, S: fmt::Debug, N, P> fmt::Debug for Loop<'_, R, V, C, S, N, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loop").field("retry", &self.retry).finish_non_exhaustive()
    }
}
