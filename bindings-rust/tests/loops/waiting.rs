//! Real waits, the few: never shorter than asked, and not much longer.

use std::future::ready;
use std::time::{Duration, Instant};

use backoff_retry::{Clock, Monotonic};

use crate::support::{Fault, retry, verdict};

const DELAYS: [&str; 5] = ["0s", "1ns", "50us", "1500us", "20ms"];

/// By how much a wait may be longer on a busy machine.
const LATE: Duration = Duration::from_secs(1);

fn judge(line: &str, waited: Duration) {
    let delay: Duration = backoff_retry::Policy::parse(format!("constant:base={line}"))
        .unwrap()
        .delay(backoff_retry::Stream::from_seed(0), 0);
    assert!(waited >= delay, "{waited:?} instead of {line}");
    assert!(waited < delay + LATE, "{waited:?} instead of {line}");
}

#[test]
fn a_thread_waits_as_long_as_asked() {
    for line in DELAYS {
        let mut calls = Vec::new();
        let plan = retry(&format!("constant:base={line},max_retries=3")).when(verdict);
        let _ = plan.call(|| {
            calls.push(Instant::now());
            Err::<(), _>(Fault::Soft)
        });
        assert_eq!(calls.len(), 4);
        calls.windows(2).for_each(|pair| judge(line, pair[1] - pair[0]));
    }
}

#[tokio::test]
async fn a_task_waits_as_long_as_asked() {
    for line in DELAYS {
        let mut calls = Vec::new();
        let plan = retry(&format!("constant:base={line},max_retries=3")).when(verdict);
        let _ = plan
            .call_async(|| {
                calls.push(Instant::now());
                ready(Err::<(), _>(Fault::Soft))
            })
            .await;
        assert_eq!(calls.len(), 4);
        calls.windows(2).for_each(|pair| judge(line, pair[1] - pair[0]));
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
async fn loops_that_wait_do_not_hold_each_other_up() {
    let begun = tokio::time::Instant::now();
    let wait = || {
        let plan = retry("constant:base=20ms,max_retries=1").when(verdict);
        plan.call_async(async || Err::<(), _>(Fault::Soft))
    };
    let ends = tokio::join!(wait(), wait(), wait(), wait(), wait());
    assert_eq!(ends.4, Err(Fault::Soft));
    assert!(begun.elapsed() < Duration::from_millis(30), "five waits of 20 ms at once");
}
