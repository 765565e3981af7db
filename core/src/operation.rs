//! Deciding after each attempt: wait, or stop (SPEC 13).

use crate::arithmetic::{MAX_NS, add, sample};
use crate::budget::{Budget, Event};
use crate::kind::{EXACT, SPREAD};
use crate::outcome::{Decision, Outcome, StopReason};
use crate::policy::Policy;
use crate::stream::Stream;

/// What a caller attempts until it succeeds or is given up: told how each attempt ended, it
/// answers whether to wait and how long, or why to stop.
///
/// It never sleeps and reads no clock: times are nanoseconds of any clock that does not go
/// back, the same one for all operations on a budget.
///
/// ```
/// use backoff_core::{Budget, Decision, Operation, Outcome, Policy, StopReason, Stream};
/// let policy = Policy::parse("full:base=100ms,cap=20s,max_retries=2")?;
/// let budget = Budget::parse("aws-sdk-2026")?;
/// let stream = Stream::from_key(42, "job-1");
///
/// let mut operation = Operation::begin(policy, stream, 0, None, Some(&budget));
/// let first = operation.decide(Outcome::Transient, None, 50_000_000, Some(&budget));
/// assert_eq!(first, Decision::Wait(11_399_434));
/// let second = operation.decide(Outcome::Permanent, None, 90_000_000, Some(&budget));
/// assert_eq!(second, Decision::Stop { reason: StopReason::Permanent, delay_ns: 0 });
/// # Ok::<(), backoff_core::ParseError>(())
/// ```
// Plain integers and total readers, as for `Policy`. No copies: what one holds of a budget, two
// would give back.
#[derive(Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Operation {
    policy: Policy,
    stream: Stream,
    began: u64,
    deadline: u64,
    retries: u64,
    /// What it holds of the budget.
    held: u64,
    /// The number of the reason why it stopped, or 0.
    stopped: u32,
    has_deadline: u32,
}

impl Operation {
    /// The number of words that [`Operation::to_words`] gives.
    pub const WORDS: usize = 7;

    /// An operation that begins now, maybe with a deadline (the last instant, `u64::MAX`, is
    /// none), and with the budget that its retries are to spend from. All its further calls
    /// take this same budget, which is not looked at again.
    ///
    /// Whoever shares a stream waits the same: give each operation a key of its own, or a
    /// stream from entropy.
    #[must_use]
    pub fn begin(
        policy: Policy,
        stream: Stream,
        now_ns: u64,
        deadline_ns: Option<u64>,
        budget: Option<&Budget>,
    ) -> Self {
        if let Some(budget) = budget {
            budget.tell(Event::Begins { now: now_ns });
        }
        let deadline_ns = deadline_ns.filter(|&deadline| deadline < u64::MAX);
        Self {
            policy,
            stream,
            began: now_ns,
            deadline: deadline_ns.unwrap_or_default(),
            retries: 0,
            held: 0,
            stopped: 0,
            has_deadline: deadline_ns.is_some().into(),
        }
    }

    /// What to do after an attempt that ended so, maybe with a hint of the server (SPEC 13.4).
    /// The budget is the one that the operation began with.
    pub fn decide(
        &mut self,
        outcome: Outcome,
        hint_ns: Option<u64>,
        now_ns: u64,
        budget: Option<&Budget>,
    ) -> Decision {
        if let Some(reason) = self.stopped() {
            return Decision::Stop { reason, delay_ns: 0 };
        }
        self.over(budget);
        match outcome {
            Outcome::Success => {
                if let Some(budget) = budget {
                    budget.tell(Event::Succeeded { held: self.held });
                }
                self.stop(StopReason::Success, 0, budget)
            }
            Outcome::Permanent => self.stop(StopReason::Permanent, 0, budget),
            _ => self.after_failure(outcome, hint_ns, now_ns, budget),
        }
    }

    /// Gives up, at any time; what a granted retry spent is not given back. Returns why the operation stopped: now, or before.
    pub fn cancel(&mut self, budget: Option<&Budget>) -> StopReason {
        if let Some(reason) = self.stopped() {
            return reason;
        }
        self.over(budget);
        self.stop(StopReason::Cancelled, 0, budget);
        StopReason::Cancelled
    }

    /// The waits answered so far.
    #[must_use]
    pub const fn retries(&self) -> u64 {
        self.retries
    }

    /// The attempts, with the one that goes on or for which a wait goes on.
    #[must_use]
    pub const fn attempts(&self) -> u64 {
        self.retries.saturating_add(1)
    }

    /// Why it stopped, if it has.
    #[must_use]
    pub fn stopped(&self) -> Option<StopReason> {
        StopReason::from_number(self.stopped)
    }

    /// The operation as words, all but its policy, for a binding that keeps it outside of Rust.
    #[must_use]
    pub const fn to_words(&self) -> [u64; Self::WORDS] {
        [
            self.stream.state(),
            self.began,
            self.deadline,
            self.retries,
            self.held,
            self.stopped as u64,
            self.has_deadline as u64,
        ]
    }

    /// The operation of such words under its policy.
    ///
    /// ```
    /// use backoff_core::{Budget, Decision, Operation, Outcome, Policy, Stream};
    /// let policy = Policy::parse("constant:base=1s")?;
    /// let budget = Budget::parse("quota:max_tokens=8,cost=5")?;
    /// let mut operation =
    ///     Operation::begin(policy, Stream::from_seed(42), 7, Some(2_000_000_000), Some(&budget));
    /// let answer = operation.decide(Outcome::Transient, None, 8, Some(&budget));
    /// assert_eq!(answer, Decision::Wait(1_000_000_000));
    /// let again = Operation::from_words(policy, &operation.to_words());
    /// assert_eq!(again, operation);
    /// operation.cancel(None);
    /// assert_ne!(again, operation);
    /// assert_eq!(Operation::from_words(policy, &operation.to_words()), operation);
    /// # Ok::<(), backoff_core::ParseError>(())
    /// ```
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "a flag, and a number that fits")]
    pub const fn from_words(policy: Policy, words: &[u64; Self::WORDS]) -> Self {
        let [stream, began, deadline, retries, held, stopped, has_deadline] = *words;
        Self {
            policy,
            stream: Stream::from_seed(stream),
            began,
            deadline,
            retries,
            held,
            stopped: stopped as u32,
            has_deadline: has_deadline as u32,
        }
    }

    fn after_failure(
        &mut self,
        outcome: Outcome,
        hint_ns: Option<u64>,
        now_ns: u64,
        budget: Option<&Budget>,
    ) -> Decision {
        if let Some(budget) = budget {
            budget.tell(Event::Failed);
        }
        let index = match u32::try_from(self.retries) {
            Ok(index) if self.retries < self.policy.max_retries => index,
            _ => return self.stop(StopReason::MaxRetries, 0, budget),
        };
        let delay_ns = self.delay(index, outcome, hint_ns);
        let ends_after =
            |limit: u64, from| limit.checked_sub(from).is_none_or(|left| delay_ns > left);
        if ends_after(self.policy.max_elapsed, now_ns.saturating_sub(self.began)) {
            return self.stop(StopReason::MaxElapsed, delay_ns, budget);
        }
        if self.has_deadline != 0 && ends_after(self.deadline, now_ns) {
            return self.stop(StopReason::Deadline, delay_ns, budget);
        }
        // The budget is asked last: nothing is spent on an attempt that is not made.
        if let Some(budget) = budget {
            match budget.tell(Event::Retry { outcome, now: now_ns }) {
                Some(held) => self.held = held,
                None => return self.stop(StopReason::Budget, delay_ns, Some(budget)),
            }
        }
        self.retries = self.retries.saturating_add(1);
        Decision::Wait(delay_ns)
    }

    /// The delay after a failure, and what a hint makes of it (SPEC 13.5).
    fn delay(&self, index: u32, outcome: Outcome, hint_ns: Option<u64>) -> u64 {
        let mut policy = self.policy;
        if outcome == Outcome::Throttled {
            policy.base = policy.throttled_base;
        }
        let delay = policy.delay_ns(self.stream, index);
        let Some(hint) = hint_ns else { return delay };
        let hint = hint.min(MAX_NS).min(policy.hint_max).min(add(delay, policy.hint_max_extra));
        match policy.hint {
            EXACT => hint,
            SPREAD => sample(self.stream.draw(index), hint, add(hint, hint.wrapping_shr(1))),
            _ => delay.max(hint),
        }
    }

    /// The attempt is over. What it held is held again by a granted retry, or the operation ends.
    fn over(&self, budget: Option<&Budget>) {
        if let Some(budget) = budget.filter(|budget| budget.holds_a_place() && self.held > 0) {
            budget.tell(Event::Over);
        }
    }

    fn stop(&mut self, reason: StopReason, delay_ns: u64, budget: Option<&Budget>) -> Decision {
        if let Some(budget) = budget {
            budget.tell(Event::Ended);
        }
        self.stopped = reason as u32;
        Decision::Stop { reason, delay_ns }
    }
}
