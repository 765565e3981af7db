//! Deciding after each attempt: wait, or stop (SPEC 13).

use crate::decision::budget::Budget;
use crate::decision::outcome::{Decision, Outcome, StopReason};
use crate::decision::progress::Progress;
use crate::policy::Policy;
use crate::random::stream::RandomStream;

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
// Plain integers and total readers, as for `ScheduleParams`. It is not `Clone`: two copies would both
// refund what one of them holds of a budget.
#[derive(Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Operation {
    policy: Policy,
    progress: Progress,
}

impl Operation {
    /// Begins an operation at `now_ns`, with an optional deadline on the same clock (`u64::MAX`
    /// means none; one that has passed still allows the first attempt) and an optional budget.
    /// Every later call must pass the same budget; passing another one is not detected.
    ///
    /// Operations that share a stream wait for the same times: give each operation a key of its own,
    /// or a stream from entropy.
    #[must_use]
    #[inline]
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
    #[inline]
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
    #[inline]
    pub fn decide(
        &mut self,
        outcome: Outcome,
        retry_after_ns: Option<u64>,
        now_ns: u64,
        budget: Option<&Budget>,
    ) -> Decision {
        self.progress.decide(&self.policy.0, outcome, retry_after_ns, now_ns, budget)
    }

    /// [`Operation::decide`] with this delay in place of the one that the policy computes. Its jitter, cap
    /// and floor do not change it; its limits, its treatment of a `Retry-After` and the budget count
    /// as always. A delay above [`MAX_NS`](crate::MAX_NS) is that.
    pub fn decide_with_delay(
        &mut self,
        outcome: Outcome,
        retry_after_ns: Option<u64>,
        own_delay_ns: u64,
        now_ns: u64,
        budget: Option<&Budget>,
    ) -> Decision {
        let own = Some(own_delay_ns);
        self.progress.decide_with_delay(
            &self.policy.0,
            outcome,
            retry_after_ns,
            own,
            now_ns,
            budget,
        )
    }

    /// The index of the delay that would follow if the current attempt failed at `now_ns`: the number
    /// of waits decided so far, or 0 if the attempt ran at least as long as `reset_after`.
    #[must_use]
    pub fn retry_index(&self, now_ns: u64) -> u64 {
        self.progress.retry_index(&self.policy.0, now_ns)
    }

    /// How long an attempt that begins at `now_ns` may take: the policy's `attempt_timeout`, or what is
    /// left until `max_elapsed` or the deadline ends, if that is less. `None` without an
    /// `attempt_timeout`. An end that has passed does not count.
    ///
    /// ```
    /// use backoff_core::{Operation, Policy, RandomStream};
    /// let policy = Policy::parse("full:base=1s,attempt_timeout=5s")?;
    /// let stream = RandomStream::from_seed(1);
    /// let operation = Operation::begin(policy, stream, 0, Some(8_000_000_000), None);
    /// assert_eq!(operation.attempt_limit_ns(2_000_000_000), Some(5_000_000_000));
    /// assert_eq!(operation.attempt_limit_ns(7_000_000_000), Some(1_000_000_000));
    /// # Ok::<(), backoff_core::ParseError>(())
    /// ```
    #[must_use]
    pub fn attempt_limit_ns(&self, now_ns: u64) -> Option<u64> {
        self.progress.attempt_limit_ns(&self.policy.0, now_ns)
    }

    /// How long an attempt that begins at `now_ns` has until its `attempt_timeout`, `max_elapsed` or
    /// the deadline ends, whichever is first: 0 once that is over, and `None` if there is no such end.
    ///
    /// ```
    /// use backoff_core::{Operation, Policy, RandomStream};
    /// let policy = Policy::parse("full:base=1s,max_elapsed=5s")?;
    /// let stream = RandomStream::from_seed(1);
    /// let operation = Operation::begin(policy, stream, 0, Some(8_000_000_000), None);
    /// assert_eq!(operation.time_left_ns(2_000_000_000), Some(3_000_000_000));
    /// assert_eq!(operation.time_left_ns(4_000_000_000), Some(1_000_000_000));
    /// assert_eq!(operation.time_left_ns(5_000_000_000), Some(0));
    /// # Ok::<(), backoff_core::ParseError>(())
    /// ```
    #[must_use]
    pub fn time_left_ns(&self, now_ns: u64) -> Option<u64> {
        self.progress.time_left_ns(&self.policy.0, now_ns)
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

    /// The number of waits decided so far, or since an attempt that ran for `reset_after`.
    #[must_use]
    pub const fn retries(&self) -> u64 {
        self.progress.retries
    }

    /// The number of attempts since then, including the current one or the one that follows the current
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
