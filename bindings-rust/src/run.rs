//! A loop that is running: the steps between calls, and its end when it is dropped.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use backoff_core::ffi::Progress;
use backoff_core::{BudgetEvent, Decision, Outcome, RandomStream, StopReason};

use crate::attempt::{Attempt, AttemptTimeout};
use crate::classify::{Classify, OwnDelay};
use crate::event::{Report, RetryEvent};
use crate::loops::Loop;
use crate::program::{self, Defaults};
use crate::retry::{Retry, default_stream};
use crate::shared_budget::{Answer, Reservation, Ticket};
use crate::time::{Clock, nanoseconds};
use crate::timeout;
use crate::verdict::Verdict;

/// A loop that is running. It is cancelled if it is dropped before its end.
pub(crate) struct Run<'p, 'a, R, V, C, S, N, P>
where
    V: Classify<R>,
    C: Clock,
    N: FnMut(&RetryEvent<'_, R>),
    P: FnMut(&RetryEvent<'_, R>),
{
    /// Not its own, because a copy of a policy takes longer than a decision.
    plan: &'p mut Loop<'a, R, V, C, S, N, P>,
    /// Otherwise all times are zero.
    needs_time: bool,
    /// The operation without its policy. It begins with the first call.
    operation: Progress,
    /// What the last call returned; `None` during a call.
    last: Option<R>,
    /// What the operation holds of a shared budget.
    held: Reservation,
    /// Those of the program, if it set some.
    defaults: Option<Arc<Defaults>>,
    /// Whether anybody hears of events.
    has_hook: bool,
    /// When the loop began.
    began_ns: u64,
    /// The number of calls so far.
    calls: u64,
    /// Whether the operation will draw from a stream that it does not have yet.
    needs_stream: bool,
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

impl<'p, 'a, R, V, C, S, N, P> Run<'p, 'a, R, V, C, S, N, P>
where
    V: Classify<R>,
    C: Clock,
    N: FnMut(&RetryEvent<'_, R>),
    P: FnMut(&RetryEvent<'_, R>),
{
    #[inline]
    pub(crate) fn new(plan: &'p mut Loop<'a, R, V, C, S, N, P>) -> Self {
        Self::with_time(plan, true)
    }

    /// A loop of whose report the caller sees only the result.
    #[inline]
    pub(crate) fn without_report(plan: &'p mut Loop<'a, R, V, C, S, N, P>) -> Self {
        let needs_time = plan.needs_time() || program::has_defaults();
        Self::with_time(plan, needs_time)
    }

    #[inline]
    fn with_time(plan: &'p mut Loop<'a, R, V, C, S, N, P>, needs_time: bool) -> Self {
        let Retry { policy, stream, .. } = &plan.retry;
        let no_stream = RandomStream::from_seed(0);
        let operation = Progress::new(stream.unwrap_or(no_stream), plan.deadline.map(nanoseconds));
        let defaults = if program::has_defaults() { program::defaults() } else { None };
        Self {
            needs_time,
            operation,
            last: None,
            held: Reservation::default(),
            has_hook: plan.has_hook || defaults.is_some(),
            defaults,
            began_ns: 0,
            calls: 0,
            needs_stream: stream.is_none() && policy.draw(),
            stage: Stage::Going,
            plan,
        }
    }

    /// Takes the options of the program that the loop does not set.
    fn fill_in(&mut self) {
        if let Some(defaults) = &self.defaults {
            self.plan.retry.fill_in(defaults);
        }
    }

    /// Begins the loop.
    #[inline]
    pub(crate) fn begin(&mut self) {
        self.fill_in();
        self.stage = Stage::InCallback;
        let now_ns = self.now_ns();
        self.stage = Stage::Going;
        self.began_ns = now_ns;
        self.operation.begin_at(now_ns, self.plan.retry.budget.as_deref());
        if let Some(budget) = &self.plan.retry.shared_budget {
            budget.note(BudgetEvent::OperationBegan);
        }
    }

    fn cancel_operation(&mut self) {
        if self.calls > 0 {
            self.operation.cancel(self.plan.retry.budget.as_deref());
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

    /// Counts a call that begins. What the call gets to know includes the time that it has left only if
    /// it looks at it, because that reads the clock.
    pub(crate) fn begin_attempt(&mut self, is_told: bool) -> Attempt<R> {
        self.calls = self.calls.saturating_add(1);
        let last = self.last.take();
        let time_left = if is_told {
            let now_ns = self.time();
            self.operation.time_left_ns(&self.plan.retry.policy, now_ns)
        } else {
            None
        };
        Attempt { number: self.calls, last, time_left: time_left.map(Duration::from_nanos) }
    }

    /// Warns if nobody gets to know the limit of attempts.
    #[inline]
    pub(crate) fn warn_of_limit(&self, is_told: bool, ends_attempts: bool) {
        let policy = &self.plan.retry.policy;
        if policy.limit_attempts() && !is_told && !(ends_attempts && V::ENDS_ATTEMPTS) {
            timeout::warn_once(&policy.get());
        }
    }

    /// How long the call that begins may take.
    pub(crate) fn attempt_limit(&mut self) -> Option<Duration> {
        if !(V::ENDS_ATTEMPTS && self.plan.retry.policy.limit_attempts()) {
            return None;
        }
        let now_ns = self.time();
        let policy = &self.plan.retry.policy;
        self.operation.attempt_limit_ns(policy, now_ns).map(Duration::from_nanos)
    }

    /// Reads the clock before a call.
    fn time(&mut self) -> u64 {
        self.stage = Stage::InCallback;
        let now_ns = self.now_ns();
        self.stage = Stage::Going;
        now_ns
    }

    /// The result of a call that reached its limit, with its verdict.
    pub(crate) fn time_out(&mut self, limit: Duration) -> (R, Verdict) {
        self.stage = Stage::InCallback;
        let result = self.plan.classify.timed_out(AttemptTimeout { limit });
        (result.expect("the classification ends attempts"), Outcome::Timeout.into())
    }

    pub(crate) fn classify(&mut self, result: &R) -> Verdict {
        self.stage = Stage::InCallback;
        self.plan.classify.classify(result)
    }

    /// Decides after a call with this verdict. If that needs the answer of a shared budget,
    /// [`Self::answered`] goes on with it.
    #[inline]
    pub(crate) fn end_attempt(
        &mut self,
        result: R,
        Verdict { outcome, retry_after }: Verdict,
        cancelled: impl FnOnce() -> bool,
    ) -> Result<Next<R>, (Ticket, PendingDecision)> {
        self.stage = Stage::InCallback;
        if outcome != Outcome::Success && cancelled() {
            self.last = Some(result);
            return Ok(ControlFlow::Break(self.cancel()));
        }
        let now_ns = self.now_ns();
        let decision = self.decide(&result, outcome, retry_after, now_ns);
        if let Some(budget) = &self.plan.retry.shared_budget {
            match outcome {
                Outcome::Success => budget.operation_succeeded(self.held),
                Outcome::Permanent => {}
                _ => budget.note(BudgetEvent::AttemptFailed),
            }
            if let Decision::Wait { delay_ns } = decision {
                let asked = budget.request(outcome);
                self.last = Some(result);
                self.stage = Stage::Going;
                let question = PendingDecision { outcome, delay_ns, now_ns };
                return match asked {
                    Ok(answer) => Ok(self.answered(&question, answer)),
                    Err(ticket) => Err((ticket, question)),
                };
            }
        }
        Ok(self.report(result, outcome, decision, now_ns, false))
    }

    /// Goes on with the answer of a shared budget.
    pub(crate) fn answered(&mut self, asked: &PendingDecision, answer: Answer) -> Next<R> {
        self.stage = Stage::InCallback;
        let PendingDecision { outcome, delay_ns, now_ns } = *asked;
        let decision = if let Some(held) = answer.granted {
            self.held = held;
            Decision::Wait { delay_ns }
        } else {
            Decision::Stop { reason: self.operation.refuse_retry(None), delay_ns }
        };
        let result = self.last.take().expect("a call has returned");
        self.report(result, outcome, decision, now_ns, answer.is_local)
    }

    /// Reports a decision.
    #[inline]
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
        if let Some(reason) = reason {
            self.record(reason);
        }
        if self.has_hook {
            let event = self.event(Some(outcome), reason, delay, now_ns, Some(&result));
            self.notify(&RetryEvent { budget_is_local, ..event });
        }
        if let Some(reason) = reason {
            let (attempts, elapsed) = (self.calls, self.elapsed(now_ns));
            return ControlFlow::Break(Report { result, reason, attempts, delay, elapsed });
        }
        self.stage = Stage::Going;
        self.last = Some(result);
        ControlFlow::Continue(delay)
    }

    /// Calls the hooks of an event. It is apart from the report, which loops without hooks also make.
    #[inline(never)]
    fn notify(&mut self, event: &RetryEvent<'_, R>) {
        if let Some(defaults) = &self.defaults {
            defaults.notify(event);
        }
        if event.reason.is_some() {
            (self.plan.on_stop)(event);
        } else {
            (self.plan.on_retry)(event);
        }
    }

    fn decide(
        &mut self,
        result: &R,
        outcome: Outcome,
        retry_after: Option<Duration>,
        now_ns: u64,
    ) -> Decision {
        if outcome == Outcome::Success && self.plan.retry.budget.is_none() {
            // It always stops the loop, so nobody has to decide.
            return Decision::Stop { reason: StopReason::Success, delay_ns: 0 };
        }
        let is_retryable = !matches!(outcome, Outcome::Success | Outcome::Permanent);
        if self.needs_stream && is_retryable {
            self.needs_stream = false;
            self.operation.set_stream(default_stream());
        }
        let own_ns =
            if V::HAS_DELAYS && is_retryable { self.own_delay_ns(result, now_ns) } else { None };
        let policy = &self.plan.retry.policy;
        let retry_after_ns = retry_after.map(nanoseconds);
        let budget = self.plan.retry.budget.as_deref();
        self.operation.decide_with_delay(policy, outcome, retry_after_ns, own_ns, now_ns, budget)
    }

    /// The caller's delay of the retry that would follow. At the end of a list the policy allows no more retries.
    fn own_delay_ns(&mut self, result: &R, now_ns: u64) -> Option<u64> {
        let policy = &self.plan.retry.policy;
        let index = policy.retry_index(self.operation.retry_index(policy, now_ns))?;
        match self.plan.classify.own_delay(index, result) {
            OwnDelay::Is(delay) => Some(nanoseconds(delay)),
            OwnDelay::OfPolicy => None,
            OwnDelay::NoMore => {
                self.plan.retry.policy.allow_retries(index.into());
                None
            }
        }
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
        let now_ns = if self.calls == 0 { self.began_ns } else { self.now_ns() };
        let event = self.event(None, Some(reason), Duration::ZERO, now_ns, result);
        if self.has_hook {
            self.notify(&event);
        }
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
        let (attempts, elapsed) = (self.calls, self.elapsed(now_ns));
        let budget_is_local = false;
        RetryEvent { attempts, outcome, reason, delay, elapsed, budget_is_local, result }
    }

    /// The time since the loop began.
    fn elapsed(&self, now_ns: u64) -> Duration {
        Duration::from_nanos(now_ns.saturating_sub(self.began_ns))
    }

    /// Counts the loop, which has ended.
    fn record(&mut self, reason: StopReason) {
        self.stage = Stage::Ended;
        if let Some(stats) = &self.plan.retry.stats {
            stats.record(self.calls, reason);
        }
    }
}

impl<R, V, C, S, N, P> Drop for Run<'_, '_, R, V, C, S, N, P>
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
        if self.calls == 0 {
            // Perhaps it never began.
            self.fill_in();
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
