//! An operation that is cancelled when it is dropped.

use std::ops::Deref;

use backoff_core::{Budget, Decision, Operation, Outcome, Policy, RandomStream, StopReason};

use crate::ref_or_arc::RefOrArc;

/// An [`Operation`] for a loop of your own, together with its budget. It is cancelled when it is
/// dropped, unless it has stopped, so an early return or a panic leaves no slot of a `concurrent`
/// budget taken. A [`Loop`](crate::Loop) does this by itself.
///
/// ```
/// use backoff_retry::{Budget, CancelOnDrop, Decision, Outcome, Policy, RandomStream};
/// use backoff_retry::{Clock, Monotonic};
///
/// // One retry at a time.
/// let budget = Budget::parse("concurrent:min_concurrent=1,ratio=0")?;
/// let policy = Policy::parse("constant:base=1s,max_retries=3")?;
/// let attempt = || {
///     let stream = RandomStream::from_key(42, "job-1");
///     let budget = Some((&budget).into());
///     let mut operation = CancelOnDrop::begin(policy, stream, Monotonic.now_ns(), None, budget);
///     operation.decide(Outcome::Transient, None, Monotonic.now_ns())
///     // The operation is dropped here and frees its slot, so the next one gets it.
/// };
/// assert_eq!(attempt(), Decision::Wait { delay_ns: 1_000_000_000 });
/// assert_eq!(attempt(), Decision::Wait { delay_ns: 1_000_000_000 });
/// # Ok::<(), backoff_retry::ParseError>(())
/// ```
#[derive(Debug)]
pub struct CancelOnDrop<'a> {
    operation: Operation,
    budget: Option<RefOrArc<'a, Budget>>,
}

impl<'a> CancelOnDrop<'a> {
    /// Begins an operation, as [`Operation::begin`] does. The budget is passed to every later call.
    #[must_use]
    pub fn begin(
        policy: Policy,
        stream: RandomStream,
        now_ns: u64,
        deadline_ns: Option<u64>,
        budget: Option<RefOrArc<'a, Budget>>,
    ) -> Self {
        let operation = Operation::begin(policy, stream, now_ns, deadline_ns, budget.as_deref());
        Self { operation, budget }
    }

    /// Decides after an attempt, as [`Operation::decide`] does.
    pub fn decide(
        &mut self,
        outcome: Outcome,
        retry_after_ns: Option<u64>,
        now_ns: u64,
    ) -> Decision {
        self.operation.decide(outcome, retry_after_ns, now_ns, self.budget.as_deref())
    }

    /// Cancels the operation, as [`Operation::cancel`] does.
    pub fn cancel(&mut self) -> StopReason {
        self.operation.cancel(self.budget.as_deref())
    }
}

/// The attempts, the retries and the reason. It does not lend the operation mutably, so no call can
/// pass another budget.
impl Deref for CancelOnDrop<'_> {
    type Target = Operation;

    fn deref(&self) -> &Operation {
        &self.operation
    }
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        self.cancel();
    }
}
