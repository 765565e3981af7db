//! A loop, ready to be run: what may be repeated is said, and who is told.

use std::fmt;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::time::Duration;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
use std::time::Instant;

use crate::classify::{Classify, WhenEither, WhenError};
use crate::event::{Event, Report};
use crate::retry::Retry;
use crate::run::Run;
use crate::time::{BlockingSleep, Clock, DefaultSleep, Monotonic, Sleep};
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

impl<R, V, C, S, N, P> Loop<'_, R, V, C, S, N, P>
where
    V: Classify<R>,
    C: Clock,
    N: FnMut(&Event<'_, R>),
    P: FnMut(&Event<'_, R>),
{
    /// What the last call of the function returned, which waits in this thread between calls.
    pub fn call<F>(self, call: F) -> R
    where
        F: FnMut() -> R,
        S: BlockingSleep,
    {
        self.run(call).result
    }

    /// How the loop ended: with what [`Loop::call`] returns, the reason, the attempts and the time.
    pub fn run<F>(self, call: F) -> Report<R>
    where
        F: FnMut() -> R,
        S: BlockingSleep,
    {
        Run::new(self).block(call, || false)
    }

    /// How the loop ended, as for [`Loop::run`], unless it was cancelled before the first call.
    ///
    /// The other function says whether to give up. It is asked before each call, after each that
    /// did not succeed, and before each wait; what ends a wait that goes on is [`Retry::sleep`]. If
    /// it panics, no hook is called.
    ///
    /// ```
    /// use backoff_retry::{Retry, StopReason};
    /// use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    /// let stop = AtomicBool::new(false);
    /// let fails = || {
    ///     stop.store(true, Relaxed); // as another thread may
    ///     Err::<(), _>("refused")
    /// };
    /// let retry = Retry::new("constant:base=1h".parse()?);
    /// let plan = retry.when(|_: &&str| true);
    /// let report = plan.clone().run_until(|| stop.load(Relaxed), fails).unwrap();
    /// assert_eq!((report.reason, report.result), (StopReason::Cancelled, Err("refused")));
    /// assert_eq!(plan.run_until(|| stop.load(Relaxed), fails), None);
    /// # Ok::<(), backoff_retry::ParseError>(())
    /// ```
    pub fn run_until<G, F>(self, mut cancelled: G, call: F) -> Option<Report<R>>
    where
        G: FnMut() -> bool,
        F: FnMut() -> R,
        S: BlockingSleep,
    {
        let mut run = Run::new(self);
        // If it is dropped here, its hook is told.
        (!run.asks(&mut cancelled)).then(|| run.block(call, cancelled))
    }

    /// What the future of the last call came to: `call_async(fetch)`, `call_async(|| get(&url))`,
    /// or `call_async(|| async { .. })`.
    ///
    /// To give the loop up, drop the future, at any time: the operation is cancelled. It is `Send`
    /// if its parts are, spawns nothing, and holds no timer but the one that it waits for.
    // An `AsyncFnMut` could lend what it captures to its future, but then no task could hold the
    // loop: that such a future is `Send` cannot be proved today.
    pub fn call_async<F, A>(self, call: F) -> impl Future<Output = R>
    where
        F: FnMut() -> A,
        A: Future<Output = R>,
        S: Sleep,
    {
        let report = self.run_async(call);
        async { report.await.result }
    }

    /// How the loop ended: with what [`Loop::call_async`] returns, the reason, the attempts and
    /// the time.
    pub fn run_async<F, A>(self, mut call: F) -> impl Future<Output = Report<R>>
    where
        F: FnMut() -> A,
        A: Future<Output = R>,
        S: Sleep,
    {
        // Before the future is polled, so that it tells its end also if it never is.
        let mut run = Run::new(self);
        async move {
            let mut begun = run.begin();
            loop {
                run.attempt();
                let result = call().await;
                let wait = match run.attempted(&mut begun, result, || false) {
                    ControlFlow::Continue(delay) => run.sleep().sleep(delay),
                    ControlFlow::Break(report) => return report,
                };
                wait.await;
            }
        }
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
