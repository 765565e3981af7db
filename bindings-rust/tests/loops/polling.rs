//! Which results a loop retries.

use std::time::Duration;

use backoff_retry::{Outcome, Verdict};

use crate::support::{Time, retry, seconds};

#[test]
fn durations_of_more_than_64_bits_saturate() {
    let time = Time::default();
    let result = retry("constant:base=1s,retry_after=exact,retry_after_max=4s,max_retries=1")
        .clock(|| time.now())
        .sleep(|delay| time.wait(delay))
        .when(|()| Verdict::from(Outcome::Throttled).retry_after(Duration::MAX))
        .deadline_at(Duration::MAX)
        .call(|| Err::<(), ()>(()));
    assert_eq!((result, time.waits()), (Err(()), vec![seconds(4)]));
}

#[test]
fn only_results_that_the_caller_selected_are_retried() {
    let retry = retry("constant:base=0s");
    let (no, failed) = (|(): &()| false, || Err::<u8, _>(()));
    let reports = [
        retry.when(no).call_with_report(failed),
        retry.when(no).when_value(|_| true).call_with_report(failed),
        retry.when(|()| true).when_value(|_| false).call_with_report(|| Ok(1)),
        // `classify` treats every result as a value, also an error.
        retry.classify(|_: &Result<u8, ()>| false).call_with_report(failed),
    ];
    assert_eq!(
        reports.map(|report| report.reason.name()),
        ["permanent", "permanent", "success", "success"]
    );
}
