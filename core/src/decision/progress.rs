//! What an operation knows beside its policy, and its decisions (SPEC 13.4).

use crate::decision::budget::Budget;
use crate::decision::budget::event::BudgetEvent;
use crate::decision::failure::{delay_ns, exceeded};
use crate::decision::outcome::{Decision, Outcome, StopReason};
use crate::field::kind::FROM_FAILURE;
use crate::number::arithmetic::MAX_NS;
use crate::random::stream::RandomStream;
use crate::schedule::{self, Schedule};

/// An [`Operation`](crate::Operation) without its policy, for a loop that already has the policy: a copy of it takes
/// longer than a decision. Every call must pass the same one.
#[derive(Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Progress {
    pub(super) stream: RandomStream,
    pub(super) began_ns: u64,
    /// When the current attempt began, or 2^64 - 1 if nobody knows.
    pub(super) attempt_began_ns: u64,
    pub(super) deadline_ns: u64,
    pub(super) retries: u64,
    /// The tokens or slots that it holds of the budget.
    pub(super) held: u64,
    /// The number of the reason why it stopped, or 0.
    pub(super) reason: u32,
    pub(super) has_deadline: u32,
}

impl Progress {
    /// The length of [`Progress::to_words`].
    pub(crate) const WORDS: usize = 8;

    /// The progress of [`Operation::begin`](crate::Operation::begin).
    #[must_use]
    pub fn begin(
        stream: RandomStream,
        now_ns: u64,
        deadline_ns: Option<u64>,
        budget: Option<&Budget>,
    ) -> Self {
        if let Some(budget) = budget {
            budget.report(BudgetEvent::OperationBegan, now_ns);
        }
        Self { began_ns: now_ns, attempt_began_ns: now_ns, ..Self::new(stream, deadline_ns) }
    }

    /// A progress that [`Progress::begin_at`] begins.
    #[must_use]
    #[inline]
    pub fn new(stream: RandomStream, deadline_ns: Option<u64>) -> Self {
        let deadline_ns = deadline_ns.filter(|&deadline| deadline < u64::MAX);
        Self {
            stream,
            began_ns: 0,
            attempt_began_ns: 0,
            deadline_ns: deadline_ns.unwrap_or_default(),
            retries: 0,
            held: 0,
            reason: 0,
            has_deadline: deadline_ns.is_some().into(),
        }
    }

    /// Begins at this time, with a budget.
    #[inline]
    pub fn begin_at(&mut self, now_ns: u64, budget: Option<&Budget>) {
        (self.began_ns, self.attempt_began_ns) = (now_ns, now_ns);
        if let Some(budget) = budget {
            budget.report(BudgetEvent::OperationBegan, now_ns);
        }
    }

    /// The progress of [`Operation::resume`](crate::Operation::resume).
    #[must_use]
    pub fn resume(
        stream: RandomStream,
        retries: u64,
        began_ns: u64,
        deadline_ns: Option<u64>,
    ) -> Self {
        let progress = Self::begin(stream, began_ns, deadline_ns, None);
        Self { retries, attempt_began_ns: u64::MAX, ..progress }
    }

    /// The time at which it began.
    #[must_use]
    #[inline]
    pub const fn began_ns(&self) -> u64 {
        self.began_ns
    }

    /// Sets the stream, of which nothing was drawn yet.
    #[inline]
    pub fn set_stream(&mut self, stream: RandomStream) {
        self.stream = stream;
    }

    /// [`Operation::retries`](crate::Operation::retries).
    #[must_use]
    #[inline]
    pub const fn retries(&self) -> u64 {
        self.retries
    }

    /// [`Operation::retry_index`](crate::Operation::retry_index) under the policy.
    #[must_use]
    pub fn retry_index(&self, policy: &impl Schedule, now_ns: u64) -> u64 {
        let is_first = self.reason().is_none() && self.counts_anew(policy, now_ns);
        if is_first { 0 } else { self.retries }
    }

    /// [`Operation::attempt_limit_ns`](crate::Operation::attempt_limit_ns) under the policy.
    #[must_use]
    pub fn attempt_limit_ns(&self, policy: &impl Schedule, now_ns: u64) -> Option<u64> {
        Some(self.ends_ns(policy, now_ns)[0]).filter(|&limit| limit < u64::MAX)
    }

    /// [`Operation::time_left_ns`](crate::Operation::time_left_ns) under the policy.
    #[must_use]
    pub fn time_left_ns(&self, policy: &impl Schedule, now_ns: u64) -> Option<u64> {
        Some(self.ends_ns(policy, now_ns)[1]).filter(|&left| left < u64::MAX)
    }

    /// The limit of an attempt that begins at `now_ns`, and the time that is left; 2^64 - 1 without one.
    #[must_use]
    pub fn ends_ns(&self, policy: &impl Schedule, now_ns: u64) -> [u64; 2] {
        let since = now_ns.saturating_sub(self.began_ns);
        let has_begun = policy.elapsed_from != FROM_FAILURE || self.retries > 0;
        let until_elapsed = if policy.max_elapsed != MAX_NS && has_begun {
            policy.max_elapsed.saturating_sub(since)
        } else {
            u64::MAX
        };
        let until_deadline =
            if self.has_deadline != 0 { self.deadline_ns.saturating_sub(now_ns) } else { u64::MAX };
        let left = until_elapsed.min(until_deadline);
        if policy.attempt_timeout == MAX_NS {
            return [u64::MAX, left];
        }
        let mut limit = policy.attempt_timeout;
        for until_end in [until_elapsed, until_deadline] {
            // An end that has passed has not kept the attempt from being made.
            if until_end > 0 {
                limit = limit.min(until_end);
            }
        }
        [limit, left.min(policy.attempt_timeout)]
    }

    /// [`Operation::decide`](crate::Operation::decide) under the policy.
    #[inline]
    pub fn decide(
        &mut self,
        policy: &impl Schedule,
        outcome: Outcome,
        retry_after_ns: Option<u64>,
        now_ns: u64,
        budget: Option<&Budget>,
    ) -> Decision {
        self.decide_with_delay(policy, outcome, retry_after_ns, None, now_ns, budget)
    }

    /// [`Operation::decide_with_delay`](crate::Operation::decide_with_delay) under the policy; without
    /// an own delay, [`Progress::decide`].
    // Out of line: libbackoff calls it from several functions, and one copy keeps it small.
    #[inline(never)]
    pub fn decide_with_delay(
        &mut self,
        policy: &impl Schedule,
        outcome: Outcome,
        retry_after_ns: Option<u64>,
        own_delay_ns: Option<u64>,
        now_ns: u64,
        budget: Option<&Budget>,
    ) -> Decision {
        if let Some(reason) = self.reason() {
            return Decision::Stop { reason, delay_ns: 0 };
        }
        self.end_attempt(budget);
        match outcome {
            Outcome::Success => {
                if let Some(budget) = budget {
                    budget.report(BudgetEvent::OperationSucceeded { held: self.held }, now_ns);
                }
                self.stop(StopReason::Success, 0, budget)
            }
            Outcome::Permanent => self.stop(StopReason::Permanent, 0, budget),
            _ => self.decide_after_failure(
                policy,
                outcome,
                retry_after_ns,
                own_delay_ns,
                now_ns,
                budget,
            ),
        }
    }

    /// [`Operation::cancel`](crate::Operation::cancel).
    pub fn cancel(&mut self, budget: Option<&Budget>) -> StopReason {
        if let Some(reason) = self.reason() {
            return reason;
        }
        self.end_attempt(budget);
        self.stop(StopReason::Cancelled, 0, budget);
        StopReason::Cancelled
    }

    /// [`Operation::refuse_retry`](crate::Operation::refuse_retry).
    pub fn refuse_retry(&mut self, budget: Option<&Budget>) -> StopReason {
        if let Some(reason) = self.reason() {
            return reason;
        }
        self.retries = self.retries.saturating_sub(1);
        self.end_attempt(budget);
        self.stop(StopReason::Budget, 0, budget);
        StopReason::Budget
    }

    /// [`Operation::reason`](crate::Operation::reason).
    #[must_use]
    pub const fn reason(&self) -> Option<StopReason> {
        StopReason::from_number(self.reason)
    }

    pub(super) const fn to_words(&self) -> [u64; Self::WORDS] {
        [
            self.stream.state(),
            self.began_ns,
            self.attempt_began_ns,
            self.deadline_ns,
            self.retries,
            self.held,
            self.reason as u64,
            self.has_deadline as u64,
        ]
    }

    #[expect(clippy::cast_possible_truncation, reason = "a flag, and a small number")]
    pub(super) const fn from_words(words: &[u64; Self::WORDS]) -> Self {
        let [stream, began_ns, attempt_began_ns, deadline_ns, retries, held, reason, has_deadline] =
            *words;
        Self {
            stream: RandomStream::from_seed(stream),
            began_ns,
            attempt_began_ns,
            deadline_ns,
            retries,
            held,
            reason: reason as u32,
            has_deadline: has_deadline as u32,
        }
    }

    fn decide_after_failure(
        &mut self,
        policy: &impl Schedule,
        outcome: Outcome,
        retry_after_ns: Option<u64>,
        own_delay_ns: Option<u64>,
        now_ns: u64,
        budget: Option<&Budget>,
    ) -> Decision {
        if let Some(budget) = budget {
            budget.report(BudgetEvent::AttemptFailed, now_ns);
        }
        if self.counts_anew(policy, now_ns) {
            self.stream = self.stream.advance(self.retries);
            (self.retries, self.began_ns) = (0, now_ns);
        } else if self.retries == 0 && policy.elapsed_from == FROM_FAILURE {
            self.began_ns = now_ns;
        }
        let Some(index) = policy.retry_index(self.retries) else {
            return self.stop(StopReason::MaxRetries, 0, budget);
        };
        let delay_of = |base| {
            if let Some(own_delay_ns) = own_delay_ns {
                return own_delay_ns.min(MAX_NS);
            }
            schedule::delay::delay_ns(policy, base, self.stream, index)
        };
        let draw = || self.stream.draw(index);
        let delay_ns = delay_ns(policy, outcome, retry_after_ns, delay_of, draw);
        let (max_elapsed, began) = (policy.max_elapsed, self.began_ns);
        let deadline = (self.has_deadline != 0).then_some(self.deadline_ns);
        if let Some(reason) = exceeded(max_elapsed, began, deadline, now_ns, delay_ns) {
            return self.stop(reason, delay_ns, budget);
        }
        // The budget comes last, so nothing is spent on an attempt that is not made.
        if let Some(budget) = budget {
            match budget.try_retry(outcome, now_ns) {
                Some(held) => self.held = held,
                None => return self.stop(StopReason::Budget, delay_ns, Some(budget)),
            }
        }
        self.retries = self.retries.saturating_add(1);
        self.attempt_began_ns = now_ns.saturating_add(delay_ns);
        Decision::Wait { delay_ns }
    }

    /// Whether the current attempt ran so long that its failure is the first of a new count.
    fn counts_anew(&self, policy: &impl Schedule, now_ns: u64) -> bool {
        let reset_after = policy.reset_after;
        reset_after != MAX_NS && now_ns.saturating_sub(self.attempt_began_ns) >= reset_after
    }

    #[inline]
    fn end_attempt(&self, budget: Option<&Budget>) {
        if let Some(budget) = budget {
            budget.attempt_ended(self.held);
        }
    }

    fn stop(&mut self, reason: StopReason, delay_ns: u64, budget: Option<&Budget>) -> Decision {
        if let Some(budget) = budget {
            budget.report(BudgetEvent::OperationEnded, 0);
        }
        self.reason = reason as u32;
        Decision::Stop { reason, delay_ns }
    }
}
