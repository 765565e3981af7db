//! The policy in a worker of apalis, over its storage in memory.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use apalis::layers::WorkerBuilderExt;
use apalis::layers::retry::RetryIfPolicy;
use apalis_core::backend::TaskSink;
use apalis_core::backend::memory::MemoryStorage;
use apalis_core::error::{AbortError, BoxDynError, RetryAfterError};
use apalis_core::task::Task;
use apalis_core::task::attempt::Attempt;
use apalis_core::task::builder::TaskBuilder;
use apalis_core::task::status::Status;
use apalis_core::task::task_id::TaskId;
use apalis_core::worker::builder::WorkerBuilder;
use apalis_core::worker::context::WorkerContext;
use backoff_adapters::apalis::RetryPolicy;
use tower::retry::Policy;

fn policy(text: &str) -> RetryPolicy {
    RetryPolicy::new(text.parse().unwrap(), 42)
}

/// How a job fails.
#[derive(Debug, Clone, Copy)]
enum Failure {
    Busy,
    Abort,
    After(Duration),
}

impl Failure {
    fn error(self) -> BoxDynError {
        match self {
            Self::Busy => "busy".into(),
            Self::Abort => Box::new(AbortError::new("forbidden")),
            Self::After(wait) => Box::new(RetryAfterError::new("busy", wait)),
        }
    }
}

/// The attempts of a job, each with the time since the one before, and its status at the end.
async fn attempts(
    policy: RetryPolicy,
    job: Task<Failure>,
    last: usize,
) -> (Vec<(usize, Duration)>, Status) {
    let seen = Arc::<Mutex<Vec<(usize, Instant)>>>::default();
    let (log, handle) = (Arc::clone(&seen), job.clone());
    let mut storage = MemoryStorage::new();
    storage.push_task(job).await.unwrap();
    let worker = WorkerBuilder::new("test").backend(storage).retry(policy).build(
        move |failure: Failure, attempt: Attempt, worker: WorkerContext| {
            log.lock().unwrap().push((attempt.current(), Instant::now()));
            if attempt.current() == last {
                worker.stop().unwrap();
            }
            std::future::ready(Err::<(), _>(failure.error()))
        },
    );
    let begun = Instant::now();
    worker.run().await.unwrap();
    let mut before = begun;
    let seen = seen.lock().unwrap().clone();
    let times = seen.into_iter().map(|(attempt, at)| {
        let waited = at - before;
        before = at;
        (attempt, waited)
    });
    (times.collect(), handle.status())
}

/// No attempt comes before its delay.
fn never_earlier(attempts: &[(usize, Duration)], delays: &[u64]) {
    for ((number, waited), delay) in attempts.iter().skip(1).zip(delays) {
        let delay = Duration::from_nanos(*delay);
        assert!(*waited >= delay, "attempt {number} after {waited:?}, not {delay:?}");
        // The wrong index would wait longer.
        assert!(*waited < delay + Duration::from_secs(20), "attempt {number} after {waited:?}");
    }
}

/// The failure, the attempts before, the policy, the attempts that follow, and the delays: for this key those
/// of every language. The index is what the storage counted, which a linear policy shows.
#[tokio::test]
async fn a_job_waits_for_the_delays_of_its_id_and_is_killed_at_the_end() {
    let after = Failure::After(Duration::from_millis(300));
    let shortened = "constant:base=1ms,max_retries=1,retry_after_max=200ms";
    for (failure, before, text, expected, delays) in [
        (
            Failure::Busy,
            0,
            "full:base=100ms,cap=20s,max_retries=3",
            &[1, 2, 3, 4][..],
            &[11_399_434, 83_043_876, 229_309_811][..],
        ),
        (Failure::Busy, 2, "linear:base=100ms,max_retries=3", &[3, 4], &[300_000_000]),
        (Failure::Abort, 0, "constant:base=1ms", &[1], &[]),
        (after, 0, "constant:base=1ms,max_retries=1", &[1, 2], &[300_000_000]),
        (after, 0, shortened, &[1, 2], &[200_000_000]),
    ] {
        let task = TaskBuilder::new(failure).task_id(TaskId::from_string("job-1"));
        let last = *expected.last().unwrap();
        let (attempts, status) = attempts(policy(text), task.attempt(before).build(), last).await;
        let numbers: Vec<_> = attempts.iter().map(|(number, _)| *number).collect();
        assert_eq!((&numbers[..], status), (expected, Status::Killed), "{text}");
        never_earlier(&attempts, delays);
    }
}

/// A worker that has stopped shows no retry, so this asks the policy. Apalis selects errors around it.
#[tokio::test]
async fn it_is_a_policy_of_apalis() {
    fn retries<P: Policy<Task<u8>, (), BoxDynError>>(policy: &mut P, failure: Failure) -> bool {
        policy.retry(&mut TaskBuilder::new(7).build(), &mut Err(failure.error())).is_some()
    }
    let mut inner = policy("constant:base=1ms");
    assert!(retries(&mut inner, Failure::Busy) && !retries(&mut inner, Failure::Abort));
    let mut outer = RetryIfPolicy::new(inner, |error: &BoxDynError| error.to_string() != "busy");
    assert!(!retries(&mut outer, Failure::Busy));
}

#[test]
fn fields_that_a_worker_cannot_keep_are_refused() {
    for field in ["attempt_timeout=1s", "reset_after=1m", "elapsed_from=failure"] {
        let text = format!("constant:base=1ms,max_elapsed=1h,{field}");
        let refused = std::panic::catch_unwind(|| policy(&text)).unwrap_err();
        let message = refused.downcast::<String>().unwrap();
        assert!(message.contains(&format!("cannot keep {field} of the policy")), "{message}");
    }
}
