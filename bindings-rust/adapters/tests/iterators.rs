//! Libraries that take an iterator of delays need no adapter.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use backoff_retry::{Backoff, Policy, RandomStream};
use backon::Retryable;
use tokio::time::Instant;

fn delays() -> Backoff {
    let policy = Policy::parse("full:base=100ms,cap=20s,max_retries=3").unwrap();
    Backoff::new(policy, RandomStream::from_key(42, "job-1"))
}

const EXPECTED: [Duration; 3] = [
    Duration::from_nanos(11_399_434),
    Duration::from_nanos(83_043_876),
    Duration::from_nanos(229_309_811),
];

#[tokio::test]
async fn backon_waits_for_the_delays() {
    let mut waits = Vec::new();
    let action = || std::future::ready(Err::<(), _>("busy"));
    let retry = action.retry(delays()).sleep(|_| std::future::ready(()));
    assert_eq!(retry.notify(|_, delay| waits.push(delay)).await, Err("busy"));
    assert_eq!(waits, EXPECTED);
}

#[tokio::test(start_paused = true)]
async fn tokio_retry_waits_for_the_delays() {
    let (calls, begun) = (Arc::<Mutex<Vec<_>>>::default(), Instant::now());
    let action = || {
        calls.lock().unwrap().push(begun.elapsed().as_millis());
        std::future::ready(Err::<(), _>("busy"))
    };
    // `start` has this name in 0.3.0.
    #[allow(deprecated)]
    let result = tokio_retry::Retry::spawn(delays(), action).await;
    assert_eq!(result, Err("busy"));
    // Tokio rounds each wait up to milliseconds.
    assert_eq!(*calls.lock().unwrap(), [0, 12, 96, 326]);
}
