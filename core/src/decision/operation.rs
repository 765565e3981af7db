//! Deciding after each attempt: wait, or stop (SPEC 13).

use crate::decision::budget::Budget;
use crate::decision::failure::{delay_ns, exceeded};
use crate::decision::outcome::{Decision, Outcome, StopReason};
use crate::policy::Policy;
use crate::random::stream::RandomStream;
use crate::schedule::Parameters;

/// One unit of work that is attempted until it succeeds or stops. After each attempt it returns how
/// long to wait, or the reason to stop.
///
/// It never sleeps and reads no clock. Times are nanoseconds of any monotonic clock, the same one
/// for all operations that share a budget.
///
/// ```
/// use backoff_core::{Budget, Decision, Operation, Outcome, Policy, RandomStream, StopReason};
/// let policy = Policy::parse("full:base=100ms,cap=20s,max_retries=2")?;
/// let budget = Budget::parse("aws-sdk-2026")?;
/// let stream = RandomStream::from_key(42, "job-1");
///
/// let mut operation = Operation::begin(policy, stream, 0, None, Some(&budget));
/// let first = operation.decide(Outcome::Transient, None, 50_000_000, Some(&budget));
/// assert_eq!(first, Decision::Wait { delay_ns: 11_399_434 });
/// let second = operation.decide(Outcome::Permanent, None, 90_000_000, Some(&budget));
/// assert_eq!(second, Decision::Stop { reason: StopReason::Permanent, delay_ns: 0 });
/// # Ok::<(), backoff_core::ParseError>(())
/// ```
// Plain integers and total readers, as for `Parameters`. It is not `Clone`: two copies would both
// refund what one of them holds of a budget.
#[derive(Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Operation {
    policy: Policy,
    progress: Progress,
}

/// An [`Operation`] without its policy, for a loop that already has the policy: a copy of it takes
/// longer than a decision. Every call must pass the same one.
#[derive(Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Progress {
    stream: RandomStream,
    began_ns: u64,
    deadline_ns: u64,
    retries: u64,
    /// The tokens or slots that it holds of the budget.
    held: u64,
    /// The number of the reason why it stopped, or 0.
    reason: u32,
    has_deadline: u32,
}

impl Operation {
    /// Begins an operation at `now_ns`, with an optional deadline on the same clock (`u64::MAX`
    /// means none; one that has passed still allows the first attempt) and an optional budget.
    /// Every later call must pass the same budget; passing another one is not detected.
    ///
    /// Operations that share a stream wait for the same times: give each operation a key of its own,
    /// or a stream from entropy.
    #[must_use]
    pub fn begin(
        policy: Policy,
        stream: RandomStream,
        now_ns: u64,
        deadline_ns: Option<u64>,
        budget: Option<&Budget>,
    ) -> Self {
        Self { policy, progress: Progress::begin(stream, now_ns, deadline_ns, budget) }
    }

    /// The operation as it stands after `retries` decided waits, for a queue that stores only their
    /// number (SPEC 13.7). It began at `began_ns` and holds nothing of a budget.
    ///
    /// ```
    /// use backoff_core::{Decision, Operation, Outcome, Policy, RandomStream};
    /// let policy = Policy::parse("exponential:base=1s,max_retries=5")?;
    /// let mut operation = Operation::resume(policy, RandomStream::from_seed(1), 3, 0, None);
    /// let decision = operation.decide(Outcome::Transient, None, 0, None);
    /// assert_eq!(decision, Decision::Wait { delay_ns: 8_000_000_000 });
    /// assert_eq!(operation.retries(), 4);
    /// # Ok::<(), backoff_core::ParseError>(())
    /// ```
    #[must_use]
    pub fn resume(
        policy: Policy,
        stream: RandomStream,
        retries: u64,
        began_ns: u64,
        deadline_ns: Option<u64>,
    ) -> Self {
        Self { policy, progress: Progress::resume(stream, retries, began_ns, deadline_ns) }
    }

    /// Decides after an attempt with this outcome and the server's `Retry-After`, if it sent one
    /// (SPEC 13.4). An operation that has stopped returns its reason again.
    pub fn decide(
        &mut self,
        outcome: Outcome,
        retry_after_ns: Option<u64>,
        now_ns: u64,
        budget: Option<&Budget>,
    ) -> Decision {
        self.progress.decide(&self.policy, outcome, retry_after_ns, now_ns, budget)
    }

    /// Cancels the operation. Budget tokens spent on a granted retry are not refunded. Returns
    /// the stop reason, which is the earlier one if the operation had already stopped.
    pub fn cancel(&mut self, budget: Option<&Budget>) -> StopReason {
        self.progress.cancel(budget)
    }

    /// Refuses the retry that the latest decision granted, for a budget that this process does not
    /// keep. The operation stops for [`StopReason::Budget`], and the retry does not count. Returns
    /// the stop reason, which is the earlier one if the operation had already stopped.
    pub fn refuse_retry(&mut self, budget: Option<&Budget>) -> StopReason {
        self.progress.refuse_retry(budget)
    }

    /// The number of waits decided so far.
    #[must_use]
    pub const fn retries(&self) -> u64 {
        self.progress.retries
    }

    /// The number of attempts, including the current one or the one that follows the current
    /// wait.
    #[must_use]
    pub const fn attempts(&self) -> u64 {
        self.progress.retries.saturating_add(1)
    }

    /// The reason why the operation stopped, or `None` while it continues.
    #[must_use]
    pub const fn reason(&self) -> Option<StopReason> {
        self.progress.reason()
    }

    /// The operation as plain numbers, without its policy.
    pub(crate) const fn to_words(&self) -> [u64; Progress::WORDS] {
        self.progress.to_words()
    }

    /// The operation of such numbers under its policy.
    pub(crate) const fn from_words(policy: Policy, words: &[u64; Progress::WORDS]) -> Self {
        Self { policy, progress: Progress::from_words(words) }
    }
}

impl Progress {
    /// The length of [`Progress::to_words`].
    pub(crate) const WORDS: usize = 7;

    /// The progress of [`Operation::begin`].
    #[must_use]
    pub fn begin(
        stream: RandomStream,
        now_ns: u64,
        deadline_ns: Option<u64>,
        budget: Option<&Budget>,
    ) -> Self {
        if let Some(budget) = budget {
            budget.operation_began(now_ns);
        }
        let deadline_ns = deadline_ns.filter(|&deadline| deadline < u64::MAX);
        Self {
            stream,
            began_ns: now_ns,
            deadline_ns: deadline_ns.unwrap_or_default(),
            retries: 0,
            held: 0,
            reason: 0,
            has_deadline: deadline_ns.is_some().into(),
        }
    }

    /// The progress of [`Operation::resume`].
    #[must_use]
    pub fn resume(
        stream: RandomStream,
        retries: u64,
        began_ns: u64,
        deadline_ns: Option<u64>,
    ) -> Self {
        Self { retries, ..Self::begin(stream, began_ns, deadline_ns, None) }
    }

    /// [`Operation::decide`] under the policy.
    pub fn decide(
        &mut self,
        policy: &Policy,
        outcome: Outcome,
        retry_after_ns: Option<u64>,
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
                    budget.operation_succeeded(self.held);
                }
                self.stop(StopReason::Success, 0, budget)
            }
            Outcome::Permanent => self.stop(StopReason::Permanent, 0, budget),
            _ => self.decide_after_failure(policy, outcome, retry_after_ns, now_ns, budget),
        }
    }

    /// [`Operation::cancel`].
    pub fn cancel(&mut self, budget: Option<&Budget>) -> StopReason {
        if let Some(reason) = self.reason() {
            return reason;
        }
        self.end_attempt(budget);
        self.stop(StopReason::Cancelled, 0, budget);
        StopReason::Cancelled
    }

    /// [`Operation::refuse_retry`].
    pub fn refuse_retry(&mut self, budget: Option<&Budget>) -> StopReason {
        if let Some(reason) = self.reason() {
            return reason;
        }
        self.retries = self.retries.saturating_sub(1);
        self.end_attempt(budget);
        self.stop(StopReason::Budget, 0, budget);
        StopReason::Budget
    }

    const fn reason(&self) -> Option<StopReason> {
        StopReason::from_number(self.reason)
    }

    const fn to_words(&self) -> [u64; Self::WORDS] {
        [
            self.stream.state(),
            self.began_ns,
            self.deadline_ns,
            self.retries,
            self.held,
            self.reason as u64,
            self.has_deadline as u64,
        ]
    }

    #[expect(clippy::cast_possible_truncation, reason = "a flag, and a small number")]
    const fn from_words(words: &[u64; Self::WORDS]) -> Self {
        let [stream, began_ns, deadline_ns, retries, held, reason, has_deadline] = *words;
        Self {
            stream: RandomStream::from_seed(stream),
            began_ns,
            deadline_ns,
            retries,
            held,
            reason: reason as u32,
            has_deadline: has_deadline as u32,
        }
    }

    fn decide_after_failure(
        &mut self,
        policy: &Policy,
        outcome: Outcome,
        retry_after_ns: Option<u64>,
        now_ns: u64,
        budget: Option<&Budget>,
    ) -> Decision {
        if let Some(budget) = budget {
            budget.attempt_failed();
        }
        let Some(index) = policy.retry_index(self.retries) else {
            return self.stop(StopReason::MaxRetries, 0, budget);
        };
        let delay_of = |base| {
            let rebased;
            let policy = if base == policy.0.base {
                policy
            } else {
                rebased = Policy(Parameters { base, ..policy.0 });
                &rebased
            };
            policy.delay_ns(self.stream, index)
        };
        let draw = || self.stream.draw(index);
        let delay_ns = delay_ns(&policy.0, outcome, retry_after_ns, delay_of, draw);
        let (max_elapsed, began) = (policy.0.max_elapsed, self.began_ns);
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
        Decision::Wait { delay_ns }
    }

    fn end_attempt(&self, budget: Option<&Budget>) {
        if let Some(budget) = budget {
            budget.attempt_ended(self.held);
        }
    }

    fn stop(&mut self, reason: StopReason, delay_ns: u64, budget: Option<&Budget>) -> Decision {
        if let Some(budget) = budget {
            budget.operation_ended();
        }
        self.reason = reason as u32;
        Decision::Stop { reason, delay_ns }
    }
}
