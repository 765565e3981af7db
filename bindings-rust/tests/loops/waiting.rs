//! The few tests that really wait: never shorter than the delay, and not much longer.

use std::future::ready;
use std::time::{Duration, Instant};

use crate::support::{Fault, retry, verdict};

const DELAYS: [&str; 5] = ["0s", "1ns", "50us", "1500us", "20ms"];

/// How much longer a wait may take on a busy machine.
const LATE: Duration = Duration::from_secs(10);

fn check(base: &str, waited: Duration) {
    let delay: Duration = backoff_retry::Policy::parse(format!("constant:base={base}"))
        .unwrap()
        .delay(backoff_retry::RandomStream::from_seed(0), 0);
    assert!(waited >= delay, "{waited:?} instead of {base}");
    assert!(waited < delay + LATE, "{waited:?} instead of {base}");
}

#[test]
fn a_thread_waits_for_the_whole_delay() {
    for base in DELAYS {
        let mut calls = Vec::new();
        let plan = retry(&format!("constant:base={base},max_retries=3")).when(verdict);
        let _ = plan.call(|| {
            calls.push(Instant::now());
            Err::<(), _>(Fault::Soft)
        });
        assert_eq!(calls.len(), 4);
        calls.windows(2).for_each(|pair| check(base, pair[1] - pair[0]));
    }
}

#[tokio::test]
async fn a_task_waits_for_the_whole_delay() {
    for base in DELAYS {
        let mut calls = Vec::new();
        let plan = retry(&format!("constant:base={base},max_retries=3")).when(verdict);
        let _ = plan
            .call_async(|| {
                calls.push(Instant::now());
                ready(Err::<(), _>(Fault::Soft))
            })
            .await;
        assert_eq!(calls.len(), 4);
        calls.windows(2).for_each(|pair| check(base, pair[1] - pair[0]));
    }
}
