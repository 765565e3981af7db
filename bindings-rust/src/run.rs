//! A loop that is running: the steps between calls, and its end when it is dropped.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::Duration;

use backoff_core::ffi::Progress;
use backoff_core::{BudgetEvent, Decision, Outcome, StopReason};

use crate::classify::Classify;
use crate::event::{Report, RetryEvent};
use crate::loops::Loop;
use crate::shared_budget::{Answer, Reservation, Ticket};
use crate::time::{Clock, nanoseconds};
use crate::verdict::Verdict;

/// A loop that is running. It is cancelled if it is dropped before its end.
pub(crate) struct Run<'a, R, V, C, S, N, P>
where
    V: Classify<R>,
    C: Clock,
    N: FnMut(&RetryEvent<'_, R>),
    P: FnMut(&RetryEvent<'_, R>),
{
    plan: Loop<'a, R, V, C, S, N, P>,
    /// The operation without its policy, which is in the plan; `None` before it begins.
    operation: Option<Progress>,
    /// Whether anything needs the time. Otherwise the clock is not read, and all times are zero.
    needs_time: bool,
    began_ns: u64,
    attempts: u64,
    /// What the last call returned; `None` during a call.
    last: Option<R>,
    /// What the operation holds of a shared budget.
    held: Reservation,
    stage: Stage,
}

/// The delay to wait, or the end of the loop.
pub(crate) type Next<R> = ControlFlow<Report<R>, Duration>;

/// A decision that a shared budget may refuse.
pub(crate) struct PendingDecision {
    outcome: Outcome,
    delay_ns: u64,
    now_ns: u64,
}

/// How far the loop is, which decides what dropping it does.
enum Stage {
    /// A drop cancels, counts and calls the hook.
    Going,
    /// A drop cancels and counts. A function of the caller's is running (other than the call); if it
    /// panics, no further hook may run.
    InCallback,
    /// A drop does nothing.
    Ended,
}

impl<'a, R, V, C, S, N, P> Run<'a, R, V, C, S, N, P>
where
    V: Classify<R>,
    C: Clock,
    N: FnMut(&RetryEvent<'_, R>),
    P: FnMut(&RetryEvent<'_, R>),
{
    pub(crate) fn new(plan: Loop<'a, R, V, C, S, N, P>) -> Self {
        let (operation, last, held, stage) = (None, None, Reservation::default(), Stage::Going);
        Self { plan, operation, needs_time: true, began_ns: 0, attempts: 0, last, held, stage }
    }

    /// A loop of whose report the caller sees only the result.
    pub(crate) fn without_report(plan: Loop<'a, R, V, C, S, N, P>) -> Self {
        let mut run = Self::new(plan);
        run.needs_time = run.plan.needs_time();
        run
    }

    /// Begins the loop.
    pub(crate) fn begin(&mut self) {
        self.stage = Stage::InCallback;
        self.began_ns = self.now_ns();
        self.stage = Stage::Going;
        if self.plan.retry.budget.is_some() {
            self.begin_operation();
        }
        if let Some(budget) = &self.plan.retry.shared_budget {
            budget.note(BudgetEvent::OperationBegan);
        }
    }

    /// Begins the operation. Only a budget has to know of it before the first failure, and most
    /// loops have none.
    fn begin_operation(&mut self) {
        let retry = &self.plan.retry;
        let deadline_ns = self.plan.deadline.map(nanoseconds);
        let (stream, budget) = (retry.next_stream(), retry.budget.as_deref());
        self.operation = Some(Progress::begin(stream, self.began_ns, deadline_ns, budget));
    }

    fn cancel_operation(&mut self) {
        if let Some(operation) = &mut self.operation {
            operation.cancel(self.plan.retry.budget.as_deref());
        }
    }

    fn now_ns(&self) -> u64 {
        if self.needs_time { self.plan.retry.clock.now_ns() } else { 0 }
    }

    /// Runs functions of the caller's, such as the sleep.
    pub(crate) fn in_callback<T>(&mut self, callback: impl FnOnce(&S) -> T) -> T {
        self.stage = Stage::InCallback;
        let returned = callback(&self.plan.retry.sleep);
        self.stage = Stage::Going;
        returned
    }

    pub(crate) fn begin_attempt(&mut self) {
        self.attempts = self.attempts.saturating_add(1);
        self.last = None;
    }

    /// Classifies the result of a call, and decides. If that needs the answer of a shared budget,
    /// [`Self::answered`] goes on with it.
    pub(crate) fn end_attempt(
        &mut self,
        result: R,
        cancelled: impl FnOnce() -> bool,
    ) -> Result<Next<R>, (Ticket, PendingDecision)> {
        self.stage = Stage::InCallback;
        let Verdict { outcome, retry_after } = self.plan.classify.classify(&result);
        if outcome != Outcome::Success && cancelled() {
            self.last = Some(result);
            return Ok(ControlFlow::Break(self.cancel()));
        }
        let now_ns = self.now_ns();
        let decision = self.decide(outcome, retry_after, now_ns);
        let Some(budget) = &self.plan.retry.shared_budget else {
            return Ok(self.report(result, outcome, decision, now_ns, false));
        };
        match outcome {
            Outcome::Success => budget.operation_succeeded(self.held),
            Outcome::Permanent => {}
            _ => budget.note(BudgetEvent::AttemptFailed),
        }
        let Decision::Wait { delay_ns } = decision else {
            return Ok(self.report(result, outcome, decision, now_ns, false));
        };
        let asked = budget.request(outcome);
        self.last = Some(result);
        self.stage = Stage::Going;
        let question = PendingDecision { outcome, delay_ns, now_ns };
        match asked {
            Ok(answer) => Ok(self.answered(&question, answer)),
            Err(ticket) => Err((ticket, question)),
        }
    }

    /// Goes on with the answer of a shared budget.
    pub(crate) fn answered(&mut self, asked: &PendingDecision, answer: Answer) -> Next<R> {
        self.stage = Stage::InCallback;
        let PendingDecision { outcome, delay_ns, now_ns } = *asked;
        let decision = match (answer.granted, &mut self.operation) {
            (None, Some(operation)) => {
                Decision::Stop { reason: operation.refuse_retry(None), delay_ns }
            }
            (held, _) => {
                self.held = held.unwrap_or_default();
                Decision::Wait { delay_ns }
            }
        };
        let result = self.last.take().expect("a call has returned");
        self.report(result, outcome, decision, now_ns, answer.is_local)
    }

    /// Reports a decision.
    fn report(
        &mut self,
        result: R,
        outcome: Outcome,
        decision: Decision,
        now_ns: u64,
        budget_is_local: bool,
    ) -> Next<R> {
        let reason = decision.stop_reason();
        let delay = Duration::from_nanos(decision.delay_ns());
        let event = self.event(Some(outcome), reason, delay, now_ns, Some(&result));
        let event = RetryEvent { budget_is_local, ..event };
        if let Some(reason) = reason {
            let RetryEvent { attempts, elapsed, .. } = event;
            self.record(reason);
            (self.plan.on_stop)(&event);
            return ControlFlow::Break(Report { result, reason, attempts, delay, elapsed });
        }
        (self.plan.on_retry)(&event);
        self.stage = Stage::Going;
        self.last = Some(result);
        ControlFlow::Continue(delay)
    }

    fn decide(&mut self, outcome: Outcome, retry_after: Option<Duration>, now_ns: u64) -> Decision {
        if self.operation.is_none() && outcome != Outcome::Success {
            self.begin_operation();
        }
        let Some(operation) = &mut self.operation else {
            // A success needs no operation: it always stops the loop.
            return Decision::Stop { reason: StopReason::Success, delay_ns: 0 };
        };
        let (retry, retry_after_ns) = (&self.plan.retry, retry_after.map(nanoseconds));
        let budget = retry.budget.as_deref();
        operation.decide(&retry.policy, outcome, retry_after_ns, now_ns, budget)
    }

    /// Cancels the loop between two calls.
    pub(crate) fn cancel(&mut self) -> Report<R> {
        self.cancel_operation();
        let result = self.last.take().expect("a call has returned");
        let RetryEvent { attempts, delay, elapsed, .. } = self.end_cancelled(Some(&result));
        Report { result, reason: StopReason::Cancelled, attempts, delay, elapsed }
    }

    /// Counts the cancelled loop and calls its hook.
    fn end_cancelled<'r>(&mut self, result: Option<&'r R>) -> RetryEvent<'r, R> {
        let reason = StopReason::Cancelled;
        self.record(reason);
        // A loop that made no call has taken no time.
        let now_ns = if self.attempts == 0 { self.began_ns } else { self.now_ns() };
        let event = self.event(None, Some(reason), Duration::ZERO, now_ns, result);
        (self.plan.on_stop)(&event);
        event
    }

    fn event<'r>(
        &self,
        outcome: Option<Outcome>,
        reason: Option<StopReason>,
        delay: Duration,
        now_ns: u64,
        result: Option<&'r R>,
    ) -> RetryEvent<'r, R> {
        let elapsed = Duration::from_nanos(now_ns.saturating_sub(self.began_ns));
        let (attempts, budget_is_local) = (self.attempts, false);
        RetryEvent { attempts, outcome, reason, delay, elapsed, budget_is_local, result }
    }

    /// Counts the loop, which has ended.
    fn record(&mut self, reason: StopReason) {
        self.stage = Stage::Ended;
        if let Some(stats) = &self.plan.retry.stats {
            stats.record(self.attempts, reason);
        }
    }
}

impl<R, V, C, S, N, P> Drop for Run<'_, R, V, C, S, N, P>
where
    V: Classify<R>,
    C: Clock,
    N: FnMut(&RetryEvent<'_, R>),
    P: FnMut(&RetryEvent<'_, R>),
{
    fn drop(&mut self) {
        if matches!(self.stage, Stage::Ended) {
            return;
        }
        // First, so that the hook sees the budget released.
        self.cancel_operation();
        match self.stage {
            Stage::Going => {
                let last = self.last.take();
                let mut end = || _ = self.end_cancelled(last.as_ref());
                if thread::panicking() {
                    // A second panic would abort, such as that of a mutex that the first one
                    // poisoned.
                    _ = catch_unwind(AssertUnwindSafe(end));
                } else {
                    end();
                }
            }
            Stage::InCallback => self.record(StopReason::Cancelled),
            Stage::Ended => {}
        }
    }
}
