//! One loop: its own options, and the calls that run it.

use std::fmt;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::time::Duration;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
use std::time::Instant;

use crate::classify::{Classify, WhenEither, WhenError};
use crate::event::{Report, RetryEvent};
use crate::plan::{Plan, Settings};
use crate::run::Run;
use crate::time::{BlockingSleep, Clock, DefaultSleep, Monotonic, Sleep};
use crate::verdict::IntoVerdict;

/// One operation, ready to run (SPEC 18): calls a function until it succeeds, fails permanently, or
/// a limit, the budget or the caller stops it.
///
/// [`Retry::when`](crate::Retry::when) and [`Retry::classify`](crate::Retry::classify) make one. A
/// loop is `Clone` if its functions are.
///
/// A panic in a hook or a classification ends the loop: the operation is cancelled and counted as
/// such, no further hook runs, and the panic continues. A panic in the called function cancels the
/// loop, and [`Loop::on_stop`] runs.
///
/// ```
/// use backoff_retry::Retry;
/// let plan = Retry::new("constant:base=0s,max_retries=2".parse()?).when(|_: &&str| true);
/// assert_eq!(plan.clone().run(|| Err::<(), _>("busy")).attempts, 3);
/// assert_eq!(plan.call(|| Ok(())), Ok(()));
/// # Ok::<(), backoff_retry::ParseError>(())
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
    plan: Plan<'a, V, C, S, N, P>,
    result: PhantomData<fn() -> R>,
}

impl<'a, R, V, C, S> Loop<'a, R, V, C, S> {
    pub(crate) fn new(settings: Settings<'a, C, S>, classify: V) -> Self {
        Self {
            plan: Plan { settings, deadline: None, classify, on_retry: |_| {}, on_stop: |_| {} },
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
        let Plan { settings, deadline, classify, on_stop, .. } = self.plan;
        let plan = Plan { settings, deadline, classify, on_retry, on_stop };
        Loop { plan, result: PhantomData }
    }

    /// Sets the hook that runs once, at the end of the loop, whatever the reason, also when the
    /// loop's future is dropped. It replaces an earlier one.
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
        let Plan { settings, deadline, classify, on_retry, .. } = self.plan;
        let plan = Plan { settings, deadline, classify, on_retry, on_stop };
        Loop { plan, result: PhantomData }
    }
}

impl<'a, T, E, W, C, S, N, P> Loop<'a, Result<T, E>, WhenError<W>, C, S, N, P> {
    /// Also repeats the values for which this function returns `true`; `false` is a success. For
    /// polling.
    ///
    /// ```
    /// let mut results = [Err("busy"), Ok("pending"), Ok("done")].into_iter();
    /// let retry = backoff_retry::Retry::default().sleep(|_| {});
    /// let plan = retry.when(|_: &&str| true).when_value(|status| *status == "pending");
    /// assert_eq!(plan.call(|| results.next().unwrap()), Ok("done"));
    /// ```
    pub fn when_value<V, X>(self, when: X) -> Loop<'a, Result<T, E>, WhenEither<W, X>, C, S, N, P>
    where
        V: IntoVerdict,
        X: FnMut(&T) -> V,
    {
        let Plan { settings, deadline, classify: WhenError(error), on_retry, on_stop } = self.plan;
        let classify = WhenEither(error, when);
        let plan = Plan { settings, deadline, classify, on_retry, on_stop };
        Loop { plan, result: PhantomData }
    }
}

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
impl<R, V, S, N, P> Loop<'_, R, V, Monotonic, S, N, P> {
    /// Sets a deadline: no wait ends after this instant. It does not interrupt a call.
    ///
    /// ```
    /// use backoff_retry::{Retry, StopReason};
    /// use std::time::{Duration, Instant};
    /// let retry = Retry::new("constant:base=1h".parse()?);
    /// let plan = retry.when(|_: &&str| true).deadline(Instant::now() + Duration::from_secs(3));
    /// assert_eq!(plan.run(|| Err::<(), _>("busy")).reason, StopReason::Deadline);
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
        self.plan.deadline = Some(Monotonic::at(deadline));
        self
    }
}

impl<R, V, C: Fn() -> Duration, S, N, P> Loop<'_, R, V, C, S, N, P> {
    /// Sets a deadline as a time of the clock that [`Retry::clock`](crate::Retry::clock) set: no
    /// wait ends after it. It does not interrupt a call.
    ///
    /// ```
    /// use backoff_retry::{Retry, StopReason};
    /// use std::time::Duration;
    /// let retry = Retry::new("constant:base=1h".parse()?).clock(|| Duration::from_secs(100));
    /// let plan = retry.when(|_: &&str| true).deadline_at(Duration::from_secs(103));
    /// assert_eq!(plan.run(|| Err::<(), _>("busy")).reason, StopReason::Deadline);
    /// # Ok::<(), backoff_retry::ParseError>(())
    /// ```
    pub fn deadline_at(mut self, deadline: Duration) -> Self {
        self.plan.deadline = Some(deadline);
        self
    }
}

impl<R, V, C, S, N, P> Loop<'_, R, V, C, S, N, P>
where
    V: Classify<R>,
    C: Clock,
    N: FnMut(&RetryEvent<'_, R>),
    P: FnMut(&RetryEvent<'_, R>),
{
    /// Runs the loop in this thread. Returns what the last call returned.
    ///
    /// ```
    /// let retry = backoff_retry::Retry::default();
    /// assert_eq!(retry.when(|_: &&str| true).call(|| Ok(7)), Ok(7));
    /// ```
    pub fn call<F>(self, call: F) -> R
    where
        F: FnMut() -> R,
        S: BlockingSleep,
    {
        self.run(call).result
    }

    /// Runs the loop in this thread. Returns how it ended: the result of the last call, the reason,
    /// the attempts and the time.
    ///
    /// ```
    /// let report = backoff_retry::Retry::default().when(|_: &&str| true).run(|| Ok(7));
    /// assert_eq!((report.result, report.attempts), (Ok(7), 1));
    /// ```
    pub fn run<F>(self, call: F) -> Report<R>
    where
        F: FnMut() -> R,
        S: BlockingSleep,
    {
        Run::new(self.plan).run_blocking(call, || false)
    }

    /// Runs the loop in this thread, as [`Loop::run`] does, until `cancelled` returns `true`.
    /// Returns `None` if that is before the first call.
    ///
    /// The loop calls `cancelled` before each call, after each call that failed, and before each
    /// wait. To interrupt a wait, use a sleep that can be woken
    /// ([`Retry::sleep`](crate::Retry::sleep)). If `cancelled` panics, no hook runs.
    ///
    /// ```
    /// use backoff_retry::{Retry, StopReason};
    /// use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    /// let stop = AtomicBool::new(false);
    /// let fail = || {
    ///     stop.store(true, Relaxed); // in a service, another thread would do this
    ///     Err::<(), _>("busy")
    /// };
    /// let plan = Retry::default().when(|_: &&str| true);
    /// let report = plan.run_until(|| stop.load(Relaxed), fail).unwrap();
    /// assert_eq!((report.reason, report.result), (StopReason::Cancelled, Err("busy")));
    /// ```
    pub fn run_until<G, F>(self, mut cancelled: G, call: F) -> Option<Report<R>>
    where
        G: FnMut() -> bool,
        F: FnMut() -> R,
        S: BlockingSleep,
    {
        let mut run = Run::new(self.plan);
        // A run that is dropped here calls its hook.
        (!run.is_cancelled(&mut cancelled)).then(|| run.run_blocking(call, cancelled))
    }

    /// Runs the loop as a future: `call_async(fetch)`, `call_async(|| get(&url))`, or
    /// `call_async(|| async { .. })`. Returns the output of the last call's future.
    ///
    /// Drop the future at any time to cancel the loop. The future is `Send` if its parts are,
    /// spawns nothing, and holds one timer while it waits.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let retry = backoff_retry::Retry::default().sleep(tokio::time::sleep);
    /// assert_eq!(retry.when(|_: &&str| true).call_async(async || Ok(7)).await, Ok(7));
    /// # }
    /// ```
    // An `AsyncFnMut` could lend its captures to its futures, but then no task could hold the
    // loop: Rust cannot yet express that such futures are `Send`.
    pub fn call_async<F, A>(self, call: F) -> impl Future<Output = R>
    where
        F: FnMut() -> A,
        A: Future<Output = R>,
        S: Sleep,
    {
        let report = self.run_async(call);
        async { report.await.result }
    }

    /// Runs the loop as a future, as [`Loop::call_async`] does. Returns how it ended: the result of
    /// the last call, the reason, the attempts and the time.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let retry = backoff_retry::Retry::default().sleep(tokio::time::sleep);
    /// let report = retry.when(|_: &&str| false).run_async(async || Err::<(), _>("no")).await;
    /// assert_eq!((report.result, report.attempts), (Err("no"), 1));
    /// # }
    /// ```
    pub fn run_async<F, A>(self, mut call: F) -> impl Future<Output = Report<R>>
    where
        F: FnMut() -> A,
        A: Future<Output = R>,
        S: Sleep,
    {
        // Made before the first poll, so that a future that is never polled calls its hook, too.
        let mut run = Run::new(self.plan);
        async move {
            let mut operation = run.begin();
            loop {
                run.begin_attempt();
                let result = call().await;
                let wait = match run.end_attempt(&mut operation, result, || false) {
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
        Self { plan: self.plan.clone(), result: PhantomData }
    }
}

impl<R, V, C: fmt::Debug, S: fmt::Debug, N, P> fmt::Debug for Loop<'_, R, V, C, S, N, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loop").field("settings", &self.plan.settings).finish_non_exhaustive()
    }
}
