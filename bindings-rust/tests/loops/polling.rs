//! Which results a loop retries.

use std::time::Duration;

use backoff_retry::{Outcome, RetryEvent, StopReason, Verdict};

use crate::support::{Fault, Seen, Time, retry, seconds, verdict};

#[test]
fn durations_of_more_than_64_bits_saturate() {
    let time = Time::default();
    let result = retry("constant:base=1s,retry_after=exact,retry_after_max=4s,max_retries=1")
        .clock(time.clock())
        .sleep(time.sleep())
        .when(|()| Verdict::from(Outcome::Throttled).retry_after(Duration::MAX))
        .deadline_at(Duration::MAX)
        .call(|| Err::<(), ()>(()));
    assert_eq!((result, time.waits()), (Err(()), vec![seconds(4)]));
}

#[test]
fn only_results_that_the_caller_selected_are_retried() {
    let retry = retry("constant:base=0s");
    let failed = || Err::<u8, _>(Fault::Soft);
    let ends = [
        (retry.when(|_: &Fault| false).call_with_report(failed), StopReason::Permanent),
        (
            retry.when(|_: &Fault| false).when_value(|_| true).call_with_report(failed),
            StopReason::Permanent,
        ),
        (
            retry.when(|_: &Fault| true).when_value(|_| false).call_with_report(|| Ok(1)),
            StopReason::Success,
        ),
        (retry.when(|_: &Fault| true).call_with_report(|| Ok(1)), StopReason::Success),
        // `classify` treats every result as a value, also an error.
        (
            retry.classify(|_: &Result<u8, Fault>| false).call_with_report(failed),
            StopReason::Success,
        ),
    ];
    for (at, (report, reason)) in ends.into_iter().enumerate() {
        assert_eq!((report.reason, report.attempts), (reason, 1), "row {at}");
    }
}

#[test]
fn an_event_shows_the_error_or_the_value() {
    let seen = Seen::default();
    let note = |event: &RetryEvent<'_, Result<u8, Fault>>| {
        seen.note(format!("{:?} {:?}", event.error(), event.value()));
    };
    let mut results = [Err(Fault::Soft), Ok(7)].into_iter();
    let result = retry("constant:base=0s")
        .when(verdict)
        .on_retry(note)
        .on_stop(note)
        .call(|| results.next().unwrap());
    assert_eq!(result, Ok(7));
    assert_eq!(seen.lines(), ["Some(Soft) None", "None Some(7)"]);
}
