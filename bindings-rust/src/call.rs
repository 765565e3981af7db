//! The calls that run a loop: in this thread, or as a future.

use std::future::poll_fn;
use std::ops::ControlFlow;
use std::pin::pin;
use std::task::Poll;

use backoff_core::Outcome;

use crate::attempt::Attempt;
use crate::classify::Classify;
use crate::event::{Report, RetryEvent};
use crate::loops::Loop;
use crate::run::Run;
use crate::time::{BlockingSleep, Clock, Sleep};
use crate::verdict::Verdict;

/// The future of a loop. It is a macro because the future of an `AsyncFnMut` borrows from it, which no
/// function can express whose future is also `Send`.
macro_rules! drive {
    ($planned:ident, $is_told:expr, $attempt:ident => $call:expr, $finish:expr) => {
        async move {
            let mut run = $planned.start();
            run.begin();
            run.warn_of_limit($is_told, true);
            loop {
                let $attempt = run.begin_attempt($is_told);
                let limit = run.attempt_limit();
                let ended = {
                    let mut call = pin!($call);
                    let mut timer =
                        pin!(limit.map(|limit| run.in_callback(|sleep| sleep.sleep(limit))));
                    let run = &mut run;
                    poll_fn(move |context| {
                        if let Poll::Ready(result) = call.as_mut().poll(context) {
                            return Poll::Ready(Some(result));
                        }
                        let Some(timer) = timer.as_mut().as_pin_mut() else {
                            return Poll::Pending;
                        };
                        run.in_callback(|_| timer.poll(context)).map(|_| None)
                    })
                    .await
                };
                // What is needed only to start the wait is dropped before it, or the future would keep it.
                let mut wait = pin!({
                    let (result, verdict) = match ended {
                        Some(result) => {
                            let verdict = run.classify(&result);
                            (result, verdict)
                        }
                        None => run.time_out(limit.unwrap_or_default()),
                    };
                    let next = match run.end_attempt(result, verdict, || false) {
                        Ok(next) => next,
                        Err((ticket, asked)) => {
                            let answer = ticket.await;
                            run.answered(&asked, answer)
                        }
                    };
                    match next {
                        ControlFlow::Continue(delay) => {
                            run.in_callback(|sleep| sleep.sleep(delay))
                        }
                        ControlFlow::Break(report) => return ($finish)(report),
                    }
                });
                let run = &mut run;
                poll_fn(move |context| run.in_callback(|_| wait.as_mut().poll(context))).await;
            }
        }
    };
}

impl<R, V, C, S, N, P> Loop<'_, R, V, C, S, N, P>
where
    V: Classify<R>,
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
        C: Clock,
        S: BlockingSleep,
    {
        if self.is_watched() {
            return Run::without_report(&mut self).block(false, ignoring(call), || false).result;
        }
        // Nobody sees that this loop begins, nor that it ends by a success or a panic. So there is
        // none before a failure.
        let result = call();
        let verdict = self.classify.classify(&result);
        if verdict.outcome == Outcome::Success {
            return result;
        }
        let mut run = Run::without_report(&mut self);
        run.begin();
        run.begin_attempt(false);
        run.go_on(result, verdict, false, ignoring(call), || false).result
    }

    /// Runs the loop in this thread, as [`Loop::call`] does, with a function that gets its
    /// [`Attempt`]: its number, the result of the call before, and the time that it has left.
    ///
    /// ```
    /// use backoff_retry::Retry;
    /// let retry = Retry::default().sleep(|_| {});
    /// let plan = retry.when(|_: &&str| true);
    /// let result = plan.call_with_attempt(|attempt| {
    ///     if attempt.number == 1 { Err("busy") } else { Ok(attempt.last_error().copied()) }
    /// });
    /// assert_eq!(result, Ok(Some("busy")));
    /// ```
    pub fn call_with_attempt<F>(mut self, call: F) -> R
    where
        F: FnMut(Attempt<R>) -> R,
        C: Clock,
        S: BlockingSleep,
    {
        Run::without_report(&mut self).block(true, call, || false).result
    }

    /// Runs the loop in this thread. Returns how it ended: the result of the last call, the reason,
    /// the attempts and the time.
    ///
    /// ```
    /// let report = backoff_retry::Retry::default().when(|_: &&str| true).call_with_report(|| Ok(7));
    /// assert_eq!((report.result, report.attempts), (Ok(7), 1));
    /// ```
    #[must_use = "the report holds the result of the last call"]
    pub fn call_with_report<F>(mut self, call: F) -> Report<R>
    where
        F: FnMut() -> R,
        C: Clock,
        S: BlockingSleep,
    {
        Run::new(&mut self).block(false, ignoring(call), || false)
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
    pub fn call_until<G, F>(mut self, mut cancelled: G, call: F) -> Option<Report<R>>
    where
        G: FnMut() -> bool,
        F: FnMut() -> R,
        C: Clock,
        S: BlockingSleep,
    {
        let mut run = Run::new(&mut self);
        // A run that is dropped here calls its hook.
        (!run.in_callback(|_| cancelled())).then(|| run.block(false, ignoring(call), cancelled))
    }

    /// Runs the loop as a future: `call_async(fetch)`, `call_async(|| get(&url))`, or
    /// `call_async(|| async { .. })`. Returns the output of the last call's future.
    ///
    /// The loop ends an attempt at the policy's `attempt_timeout` only if [`Loop::timed_out`] says what the call
    /// then returns.
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
    #[must_use = "a future does nothing until it is polled"]
    pub fn call_async<F, A>(self, call: F) -> impl Future<Output = R>
    where
        F: FnMut() -> A,
        A: Future<Output = R>,
        C: Clock,
        S: Sleep,
    {
        Planned::new(self, false).drive(false, ignoring(call), |report| report.result)
    }

    /// Runs the loop as a future, as [`Loop::call_async`] does, with an `async` closure that may change
    /// what it captures and lend it to its futures.
    ///
    /// The future cannot be spawned on several threads if the closure lends something: Rust cannot yet
    /// express that such futures are `Send`. Use `call_async` and a mutex there.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// # struct Connection(u8);
    /// # impl Connection {
    /// #     async fn query(&mut self) -> Result<u8, ()> {
    /// #         self.0 += 1;
    /// #         if self.0 == 1 { Err(()) } else { Ok(7) }
    /// #     }
    /// # }
    /// # let mut connection = Connection(0);
    /// let retry = backoff_retry::Retry::default();
    /// let plan = retry.when(|(): &()| true);
    /// assert_eq!(plan.call_async_mut(async || connection.query().await).await, Ok(7));
    /// # }
    /// ```
    #[must_use = "a future does nothing until it is polled"]
    pub fn call_async_mut<F>(self, mut call: F) -> impl Future<Output = R>
    where
        F: AsyncFnMut() -> R,
        C: Clock,
        S: Sleep,
    {
        let mut planned = Planned::new(self, false);
        let finish = |report: Report<R>| report.result;
        drive!(planned, false, attempt => { drop(attempt); call() }, finish)
    }

    /// Runs the loop as a future, as [`Loop::call_async`] does, with a function that gets its
    /// [`Attempt`]: its number, the result of the call before, and the time that it has left.
    ///
    /// Without [`Loop::timed_out`] it only gets to know the limit of its attempt, and must keep to it.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let retry = backoff_retry::Retry::default().sleep(tokio::time::sleep);
    /// let plan = retry.when(|_: &&str| true);
    /// let fetch = async |attempt: backoff_retry::Attempt<_>| {
    ///     if attempt.number < 3 { Err("busy") } else { Ok(attempt.number) }
    /// };
    /// assert_eq!(plan.call_async_with_attempt(fetch).await, Ok(3));
    /// # }
    /// ```
    #[must_use = "a future does nothing until it is polled"]
    pub fn call_async_with_attempt<F, A>(self, call: F) -> impl Future<Output = R>
    where
        F: FnMut(Attempt<R>) -> A,
        A: Future<Output = R>,
        C: Clock,
        S: Sleep,
    {
        Planned::new(self, false).drive(true, call, |report| report.result)
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
        C: Clock,
        S: Sleep,
    {
        Planned::new(self, true).drive(false, ignoring(call), |report| report)
    }
}

/// A call that does not look at its attempt. It drops the result of the call before.
fn ignoring<R, O>(mut call: impl FnMut() -> O) -> impl FnMut(Attempt<R>) -> O {
    move |attempt| {
        drop(attempt);
        call()
    }
}

impl<R, V, C, S, N, P> Run<'_, '_, R, V, C, S, N, P>
where
    V: Classify<R>,
    C: Clock,
    N: FnMut(&RetryEvent<'_, R>),
    P: FnMut(&RetryEvent<'_, R>),
{
    /// The whole loop, in this thread. The function may be told the time that its attempt has left.
    fn block<F, G>(&mut self, is_told: bool, mut call: F, cancelled: G) -> Report<R>
    where
        S: BlockingSleep,
        F: FnMut(Attempt<R>) -> R,
        G: FnMut() -> bool,
    {
        self.begin();
        self.warn_of_limit(is_told, false);
        let result = call(self.begin_attempt(is_told));
        let verdict = self.classify(&result);
        self.go_on(result, verdict, is_told, call, cancelled)
    }

    /// The loop from the end of a call.
    fn go_on<F, G>(
        &mut self,
        mut result: R,
        mut verdict: Verdict,
        is_told: bool,
        mut call: F,
        mut cancelled: G,
    ) -> Report<R>
    where
        S: BlockingSleep,
        F: FnMut(Attempt<R>) -> R,
        G: FnMut() -> bool,
    {
        loop {
            let next = match self.end_attempt(result, verdict, &mut cancelled) {
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
            result = call(self.begin_attempt(is_told));
            verdict = self.classify(&result);
        }
    }
}

/// A loop of a future. Its run borrows from it and is made with the first poll.
struct Planned<'a, R, V, C, S, N, P>
where
    V: Classify<R>,
    C: Clock,
    N: FnMut(&RetryEvent<'_, R>),
    P: FnMut(&RetryEvent<'_, R>),
{
    plan: Loop<'a, R, V, C, S, N, P>,
    has_report: bool,
    has_started: bool,
}

impl<'a, R, V, C, S, N, P> Planned<'a, R, V, C, S, N, P>
where
    V: Classify<R>,
    C: Clock,
    N: FnMut(&RetryEvent<'_, R>),
    P: FnMut(&RetryEvent<'_, R>),
{
    fn new(plan: Loop<'a, R, V, C, S, N, P>, has_report: bool) -> Self {
        Self { plan, has_report, has_started: false }
    }

    fn start(&mut self) -> Run<'_, 'a, R, V, C, S, N, P> {
        self.has_started = true;
        if self.has_report { Run::new(&mut self.plan) } else { Run::without_report(&mut self.plan) }
    }

    /// The loop, with what its future returns of the report. A future around it would be twice as
    /// large.
    #[expect(clippy::manual_async_fn, reason = "an async function would hold its arguments twice")]
    fn drive<F, A, T>(
        mut self,
        is_told: bool,
        mut call: F,
        finish: impl FnOnce(Report<R>) -> T,
    ) -> impl Future<Output = T>
    where
        S: Sleep,
        F: FnMut(Attempt<R>) -> A,
        A: Future<Output = R>,
    {
        drive!(self, is_told, attempt => call(attempt), finish)
    }
}

/// A future that is never polled also calls its hook.
impl<R, V, C, S, N, P> Drop for Planned<'_, R, V, C, S, N, P>
where
    V: Classify<R>,
    C: Clock,
    N: FnMut(&RetryEvent<'_, R>),
    P: FnMut(&RetryEvent<'_, R>),
{
    fn drop(&mut self) {
        if !self.has_started {
            drop(self.start());
        }
    }
}
