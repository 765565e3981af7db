//! The few tests that really wait: never shorter than the delay, and not much longer.

use std::future::ready;
use std::time::{Duration, Instant};

use backoff_retry::{Clock, Monotonic};

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

#[test]
fn the_clock_does_not_go_back() {
    let first = Monotonic.now();
    let begun = Instant::now();
    let mut last = first;
    while begun.elapsed() < Duration::from_millis(2) {
        assert!(Monotonic.now() >= last);
        last = Monotonic.now();
    }
    assert!(Monotonic.now() >= first + Duration::from_millis(2));
    assert!(u128::from(Monotonic.now_ns()) >= last.as_nanos());
}

#[tokio::test(start_paused = true)]
async fn waiting_loops_do_not_block_each_other() {
    let begun = tokio::time::Instant::now();
    let wait = || {
        let plan = retry("constant:base=20ms,max_retries=1").when(verdict);
        plan.call_async(async || Err::<(), _>(Fault::Soft))
    };
    let ends = tokio::join!(wait(), wait(), wait(), wait(), wait());
    assert_eq!(ends.4, Err(Fault::Soft));
    assert!(begun.elapsed() < Duration::from_millis(30), "five waits of 20 ms at once");
}
