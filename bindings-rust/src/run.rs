//! A loop that runs: what both kinds of loop do between calls, and when they are dropped.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::Duration;

use backoff_core::{Budget, Decision, Operation, Outcome, StopReason};

use crate::classify::Classify;
use crate::event::{Event, Report};
use crate::loops::Loop;
use crate::shared::Shared;
use crate::time::{BlockingSleep, Clock, nanoseconds};
use crate::verdict::Verdict;

/// A loop that runs, and is cancelled if it is dropped before its end.
pub(crate) struct Run<'a, R, V, C, S, N, P>
where
    V: Classify<R>,
    C: Clock,
    N: FnMut(&Event<'_, R>),
    P: FnMut(&Event<'_, R>),
{
    plan: Loop<'a, R, V, C, S, N, P>,
    began: u64,
    calls: u64,
    /// What the last call returned, unless one goes on.
    last: Option<R>,
    stage: Stage,
}

/// The operation of a loop that has begun, cancelled when it is dropped unless it has stopped:
/// before its [`Run`], so before its end is told.
pub(crate) struct Begun<'a> {
    operation: Operation,
    budget: Option<Shared<'a, Budget>>,
}

impl Begun<'_> {
    fn cancel(&mut self) {
        self.operation.cancel(self.budget.as_deref());
    }
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        self.cancel();
    }
}

enum Stage {
    /// If it is given up now, a hook is told.
    Going,
    /// In another function of the caller's than the call and the sleep: if it panics, no further
    /// hook is called.
    Asking,
    Ended,
}

impl<'a, R, V, C, S, N, P> Run<'a, R, V, C, S, N, P>
where
    V: Classify<R>,
    C: Clock,
    N: FnMut(&Event<'_, R>),
    P: FnMut(&Event<'_, R>),
{
    pub(crate) fn new(plan: Loop<'a, R, V, C, S, N, P>) -> Self {
        Self { plan, began: 0, calls: 0, last: None, stage: Stage::Going }
    }

    /// The operation begins.
    pub(crate) fn begin(&mut self) -> Begun<'a> {
        let retry = &self.plan.retry;
        self.stage = Stage::Asking;
        self.began = retry.clock.now_ns();
        self.stage = Stage::Going;
        let deadline = self.plan.deadline.map(nanoseconds);
        let (stream, budget) = (retry.next_stream(), retry.budget.clone());
        let operation =
            Operation::begin(retry.policy, stream, self.began, deadline, budget.as_deref());
        Begun { operation, budget }
    }

    /// The whole loop, in this thread.
    pub(crate) fn block<F, G>(mut self, mut call: F, mut cancelled: G) -> Report<R>
    where
        F: FnMut() -> R,
        G: FnMut() -> bool,
        S: BlockingSleep,
    {
        let mut begun = self.begin();
        loop {
            self.attempt();
            let delay = match self.attempted(&mut begun, call(), &mut cancelled) {
                ControlFlow::Continue(delay) => delay,
                ControlFlow::Break(report) => return report,
            };
            let gives_up = self.asks(&mut cancelled)
                || self.sleep().sleep(delay).is_break()
                || self.asks(&mut cancelled);
            if gives_up {
                return self.cancel(&mut begun);
            }
        }
    }

    /// What a function of the caller's answers.
    pub(crate) fn asks(&mut self, cancelled: impl FnOnce() -> bool) -> bool {
        self.stage = Stage::Asking;
        let answer = cancelled();
        self.stage = Stage::Going;
        answer
    }

    /// A call begins.
    pub(crate) fn attempt(&mut self) {
        self.calls = self.calls.saturating_add(1);
        self.last = None;
    }

    /// A call has returned: how long to wait, or how the loop ended.
    pub(crate) fn attempted(
        &mut self,
        begun: &mut Begun<'a>,
        result: R,
        cancelled: impl FnOnce() -> bool,
    ) -> ControlFlow<Report<R>, Duration> {
        self.stage = Stage::Asking;
        let Verdict { outcome, hint } = self.plan.classify.classify(&result);
        if outcome != Outcome::Success && cancelled() {
            self.last = Some(result);
            return ControlFlow::Break(self.cancel(begun));
        }
        let now = self.plan.retry.clock.now_ns();
        let Begun { operation, budget } = begun;
        let decision = operation.decide(outcome, hint.map(nanoseconds), now, budget.as_deref());
        let outcome = Some(outcome);
        match decision {
            Decision::Wait(delay) => {
                let delay = Duration::from_nanos(delay);
                let event = self.event(outcome, None, delay, now, Some(&result));
                (self.plan.on_retry)(&event);
                self.stage = Stage::Going;
                self.last = Some(result);
                ControlFlow::Continue(delay)
            }
            Decision::Stop { reason, delay_ns } => {
                let delay = Duration::from_nanos(delay_ns);
                let event = self.event(outcome, Some(reason), delay, now, Some(&result));
                let Event { attempts, elapsed, .. } = event;
                self.count(reason);
                (self.plan.on_stop)(&event);
                ControlFlow::Break(Report { result, reason, attempts, delay, elapsed })
            }
        }
    }

    /// Gives up after a call: how the loop ended.
    fn cancel(&mut self, begun: &mut Begun<'a>) -> Report<R> {
        begun.cancel();
        let result = self.last.take().expect("what the call returned");
        let Event { attempts, delay, elapsed, .. } = self.cancelled(Some(&result));
        Report { result, reason: StopReason::Cancelled, attempts, delay, elapsed }
    }

    pub(crate) fn sleep(&self) -> &S {
        &self.plan.retry.sleep
    }

    fn cancelled<'r>(&mut self, result: Option<&'r R>) -> Event<'r, R> {
        let reason = StopReason::Cancelled;
        self.count(reason);
        // What has not begun has taken no time.
        let now = if self.calls == 0 { self.began } else { self.plan.retry.clock.now_ns() };
        let event = self.event(None, Some(reason), Duration::ZERO, now, result);
        (self.plan.on_stop)(&event);
        event
    }

    fn event<'r>(
        &self,
        outcome: Option<Outcome>,
        reason: Option<StopReason>,
        delay: Duration,
        now: u64,
        result: Option<&'r R>,
    ) -> Event<'r, R> {
        let elapsed = Duration::from_nanos(now.saturating_sub(self.began));
        Event { attempts: self.calls, outcome, reason, delay, elapsed, result }
    }

    fn count(&mut self, reason: StopReason) {
        self.stage = Stage::Ended;
        if let Some(history) = &self.plan.retry.history {
            history.record(self.calls, reason);
        }
    }
}

impl<R, V, C, S, N, P> Drop for Run<'_, R, V, C, S, N, P>
where
    V: Classify<R>,
    C: Clock,
    N: FnMut(&Event<'_, R>),
    P: FnMut(&Event<'_, R>),
{
    fn drop(&mut self) {
        match self.stage {
            Stage::Going => {
                let last = self.last.take();
                let mut tell = || _ = self.cancelled(last.as_ref());
                if thread::panicking() {
                    // A second panic, as of a mutex that the first has poisoned, would abort.
                    _ = catch_unwind(AssertUnwindSafe(tell));
                } else {
                    tell();
                }
            }
            Stage::Asking => self.count(StopReason::Cancelled),
            Stage::Ended => {}
        }
    }
}
