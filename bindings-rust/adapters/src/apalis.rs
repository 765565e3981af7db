//! Retries of jobs of [apalis](https://docs.rs/apalis), as a policy of its worker.

use std::time::Duration;

use ::tower::retry::Policy as TowerPolicy;
use apalis_core::error::{AbortError, BoxDynError, RetryAfterError};
use apalis_core::task::Task;
use apalis_core::task::status::Status;
use apalis_core::worker::context::WorkerContext;
use backoff_retry::{Decision, Field, FieldValue, Operation, Outcome, Policy, RandomStream};
use tokio::time::{Sleep, sleep};

/// A policy for the retry layer of a worker of apalis. It waits with tokio's timer.
///
/// The [module](self) says what it does with the errors and the limits of a job.
#[derive(Debug, Clone, Copy)]
pub struct RetryPolicy {
    policy: Policy,
    seed: u64,
}

impl RetryPolicy {
    /// Delays of this policy under this seed, which all workers of the queue share.
    ///
    /// # Panics
    /// If the policy has an `attempt_timeout`, a `reset_after` or `elapsed_from=failure`, which a retry policy of apalis
    /// cannot keep. The message says what to do.
    #[must_use]
    #[track_caller]
    pub fn new(policy: Policy, seed: u64) -> Self {
        let begin = FieldValue::Kind("begin");
        for (field, unset, way) in [
            (Field::AttemptTimeout, FieldValue::NoLimit, "use the timeout of `WorkerBuilder`"),
            (Field::ResetAfter, FieldValue::NoLimit, "apalis does not say how long an attempt ran"),
            (Field::ElapsedFrom, begin, "apalis does not keep the time of a failure"),
        ] {
            let value = policy.get(field).unwrap_or(unset);
            assert!(
                value == unset,
                "a retry policy of apalis cannot keep {}={value} of the policy {policy}: {way}, and leave it out",
                field.name()
            );
        }
        Self { policy, seed }
    }

    /// The decision after an attempt that failed.
    fn decide<T>(&self, job: &Task<T>, error: &BoxDynError) -> Decision {
        let stream = match job.task_id() {
            Some(id) => RandomStream::from_key(self.seed, id.to_string()),
            None => RandomStream::from_entropy().unwrap_or(RandomStream::from_seed(self.seed)),
        };
        // The attempt that failed is counted.
        let retries = u64::try_from(job.attempt()).unwrap_or(u64::MAX).saturating_sub(1);
        let outcome =
            if error.is::<AbortError>() { Outcome::Permanent } else { Outcome::Transient };
        let retry_after =
            error.downcast_ref::<RetryAfterError>().map(RetryAfterError::get_duration);
        let retry_after_ns =
            retry_after.map(|wait| u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX));
        let mut operation = Operation::resume(self.policy, stream, retries, 0, None);
        operation.decide(outcome, retry_after_ns, 0, None)
    }
}

impl<T: Clone, R> TowerPolicy<Task<T>, R, BoxDynError> for RetryPolicy {
    type Future = Sleep;

    fn retry(&mut self, job: &mut Task<T>, result: &mut Result<R, BoxDynError>) -> Option<Sleep> {
        let error = result.as_ref().err()?;
        let Decision::Wait { delay_ns } = self.decide(job, error) else {
            job.raw_status().store(Status::Killed);
            return None;
        };
        let worker = job.data().get::<WorkerContext>();
        let stops = worker.is_some_and(WorkerContext::is_shutting_down);
        (!stops && job.status() != Status::Killed).then(|| sleep(Duration::from_nanos(delay_ns)))
    }

    fn clone_request(&mut self, job: &Task<T>) -> Option<Task<T>> {
        Some(job.clone())
    }
}
