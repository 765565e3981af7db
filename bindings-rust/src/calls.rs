//! Making the calls of a loop: in this thread, or as a future.

use std::ops::ControlFlow;

use crate::classify::Classify;
use crate::event::{Event, Report};
use crate::loops::Loop;
use crate::run::Run;
use crate::time::{BlockingSleep, Clock, Sleep};

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
    /// did not succeed, and before each wait; what ends a wait that goes on is
    /// [`Retry::sleep`](crate::Retry::sleep). If it panics, no hook is called.
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
