//! The calls that run a loop: in this thread, or as a future.

use std::future::poll_fn;
use std::ops::ControlFlow;
use std::pin::pin;

use backoff_core::Outcome;

use crate::classify::Classify;
use crate::event::{Report, RetryEvent};
use crate::loops::Loop;
use crate::run::Run;
use crate::time::{BlockingSleep, Clock, Sleep};
use crate::verdict::Verdict;

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
    pub fn call<F>(mut self, mut call: F) -> R
    where
        F: FnMut() -> R,
        S: BlockingSleep,
    {
        if self.is_watched() {
            return Run::without_report(self).block(call, || false).result;
        }
        // Nobody sees that this loop begins, nor that it ends by a success or a panic. So there is
        // none before a failure.
        let result = call();
        let verdict = self.classify.classify(&result);
        if verdict.outcome == Outcome::Success {
            return result;
        }
        let mut run = Run::without_report(self);
        run.begin();
        run.begin_attempt();
        run.go_on(result, verdict, call, || false).result
    }

    /// Runs the loop in this thread. Returns how it ended: the result of the last call, the reason,
    /// the attempts and the time.
    ///
    /// ```
    /// let report = backoff_retry::Retry::default().when(|_: &&str| true).call_with_report(|| Ok(7));
    /// assert_eq!((report.result, report.attempts), (Ok(7), 1));
    /// ```
    #[must_use = "the report holds the result of the last call"]
    pub fn call_with_report<F>(self, call: F) -> Report<R>
    where
        F: FnMut() -> R,
        S: BlockingSleep,
    {
        Run::new(self).block(call, || false)
    }

    /// Runs the loop in this thread, as [`Loop::call_with_report`] does, until `cancelled` returns `true`.
    /// Returns `None` if that is before the first call.
    ///
    /// The loop calls `cancelled` before each call, after each call that failed, and before and
    /// after each wait. A failure, even a permanent one, is reported as `Cancelled` if `cancelled`
    /// returns `true` after that call; a success is reported as a success. To interrupt a wait, use
    /// a sleep that can be woken ([`Retry::sleep`](crate::Retry::sleep)). If `cancelled` panics, no
    /// hook runs.
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
    /// let report = plan.call_until(|| stop.load(Relaxed), fail).unwrap();
    /// assert_eq!((report.reason, report.result), (StopReason::Cancelled, Err("busy")));
    /// ```
    #[must_use = "the report holds the result of the last call"]
    pub fn call_until<G, F>(self, mut cancelled: G, call: F) -> Option<Report<R>>
    where
        G: FnMut() -> bool,
        F: FnMut() -> R,
        S: BlockingSleep,
    {
        let mut run = Run::new(self);
        // A run that is dropped here calls its hook.
        (!run.in_callback(|_| cancelled())).then(|| run.block(call, cancelled))
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
    #[must_use = "a future does nothing until it is polled"]
    pub fn call_async<F, A>(self, call: F) -> impl Future<Output = R>
    where
        F: FnMut() -> A,
        A: Future<Output = R>,
        S: Sleep,
    {
        Run::without_report(self).drive(call, |report| report.result)
    }

    /// Runs the loop as a future, as [`Loop::call_async`] does. Returns how it ended: the result of
    /// the last call, the reason, the attempts and the time.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let retry = backoff_retry::Retry::default().sleep(tokio::time::sleep);
    /// let report = retry.when(|_: &&str| false).call_async_with_report(async || Err::<(), _>("no")).await;
    /// assert_eq!((report.result, report.attempts), (Err("no"), 1));
    /// # }
    /// ```
    #[must_use = "a future does nothing until it is polled"]
    pub fn call_async_with_report<F, A>(self, call: F) -> impl Future<Output = Report<R>>
    where
        F: FnMut() -> A,
        A: Future<Output = R>,
        S: Sleep,
    {
        Run::new(self).drive(call, |report| report)
    }
}

impl<R, V, C, S, N, P> Run<'_, R, V, C, S, N, P>
where
    V: Classify<R>,
    C: Clock,
    N: FnMut(&RetryEvent<'_, R>),
    P: FnMut(&RetryEvent<'_, R>),
{
    /// The whole loop, in this thread.
    fn block<F, G>(&mut self, mut call: F, cancelled: G) -> Report<R>
    where
        S: BlockingSleep,
        F: FnMut() -> R,
        G: FnMut() -> bool,
    {
        self.begin();
        self.begin_attempt();
        let result = call();
        let verdict = self.classify(&result);
        self.go_on(result, verdict, call, cancelled)
    }

    /// The loop from the end of a call.
    fn go_on<F, G>(
        &mut self,
        mut result: R,
        mut verdict: Verdict,
        mut call: F,
        mut cancelled: G,
    ) -> Report<R>
    where
        S: BlockingSleep,
        F: FnMut() -> R,
        G: FnMut() -> bool,
    {
        loop {
            let next = match self.end_classified(result, verdict, &mut cancelled) {
                Ok(next) => next,
                Err((ticket, asked)) => self.answered(&asked, ticket.wait()),
            };
            let delay = match next {
                ControlFlow::Continue(delay) => delay,
                ControlFlow::Break(report) => return report,
            };
            let is_cancelled = self
                .in_callback(|sleep| cancelled() || sleep.sleep(delay).is_break() || cancelled());
            if is_cancelled {
                return self.cancel();
            }
            self.begin_attempt();
            result = call();
            verdict = self.classify(&result);
        }
    }

    /// The loop, with what its future returns of the report. A future around it would be twice as
    /// large. The run is made before the first poll, so that a future that is never polled also calls
    /// its hook.
    #[expect(clippy::manual_async_fn, reason = "an async function would hold its arguments twice")]
    fn drive<F, A, T>(
        mut self,
        mut call: F,
        finish: impl FnOnce(Report<R>) -> T,
    ) -> impl Future<Output = T>
    where
        S: Sleep,
        F: FnMut() -> A,
        A: Future<Output = R>,
    {
        async move {
            self.begin();
            loop {
                self.begin_attempt();
                let result = call().await;
                // What is needed only to start the wait is dropped before it, or the future would keep it.
                let mut wait = pin!({
                    let next = match self.end_attempt(result, || false) {
                        Ok(next) => next,
                        Err((ticket, asked)) => {
                            let answer = ticket.await;
                            self.answered(&asked, answer)
                        }
                    };
                    match next {
                        ControlFlow::Continue(delay) => {
                            self.in_callback(|sleep| sleep.sleep(delay))
                        }
                        ControlFlow::Break(report) => return finish(report),
                    }
                });
                let run = &mut self;
                poll_fn(move |context| run.in_callback(|_| wait.as_mut().poll(context))).await;
            }
        }
    }
}
