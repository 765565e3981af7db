//! Ends of loops that the vectors do not have: the longest waits, deadlines of the default clock, and
//! the default policy.

use std::time::{Duration, Instant};

use backoff_retry::{Policy, RandomStream, Retry, StopReason};

use crate::support::{Time, poll_once, retry, seconds};

#[test]
fn a_deadline_is_an_instant_of_the_default_clock() {
    let began = Instant::now();
    let hour = seconds(3600);
    // Before the clock began, too early for the wait, and after it.
    for (deadline, reason, attempts) in [
        (began.checked_sub(hour).unwrap(), StopReason::Deadline, 1),
        (began + hour / 2, StopReason::Deadline, 1),
        (began + 2 * hour, StopReason::MaxRetries, 2),
    ] {
        let report = retry("constant:base=1h,max_retries=1")
            .sleep(|_| {})
            .when(|()| true)
            .deadline(deadline)
            .call_with_report(|| Err::<(), ()>(()));
        assert_eq!((report.reason, report.attempts), (reason, attempts));
    }
}

#[test]
fn a_loop_on_the_default_policy_waits_its_delays() {
    let (time, mut elapsed) = (Time::default(), Vec::new());
    let stream = RandomStream::from_key(42, "job-1");
    let result = Retry::default()
        .seed_and_key(42, "job-1")
        .clock(|| time.now())
        .sleep(|delay| time.wait(delay))
        .when(|()| true)
        .on_retry(|event| elapsed.push(event.elapsed))
        .call(|| Err::<(), ()>(()));
    assert_eq!(result, Err(()));
    assert_eq!(elapsed[..2], [Duration::ZERO, time.waits()[0]]);
    let policy = Policy::parse("default").unwrap();
    let delays: Vec<_> =
        (0..).map(|index| policy.delay(stream, index)).take(time.waits().len()).collect();
    assert_eq!(time.waits(), delays);
    assert!(!delays.is_empty());
}

/// The documentation of `DefaultSleep` tests that of a thread.
#[tokio::test(start_paused = true)]
async fn a_future_waits_with_the_timer_of_tokio() {
    let begun = tokio::time::Instant::now();
    let plan = retry("constant:base=20ms,max_retries=3").when(|()| true);
    assert_eq!(plan.call_async(async || Err::<(), _>(())).await, Err(()));
    assert_eq!(begun.elapsed().as_millis(), 60);
}

#[test]
#[should_panic(expected = "set the timer of your runtime with `Retry::sleep`")]
fn the_default_sleep_says_what_a_future_needs() {
    let plan = retry("constant:base=1s").when(|(): &()| true);
    poll_once(plan.call_async(async || Err::<(), _>(())));
}
