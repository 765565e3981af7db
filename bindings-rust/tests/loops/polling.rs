//! Which results a loop retries.

use std::time::Duration;

use backoff_retry::{IntoVerdict, Outcome, RetryEvent, StopReason, Verdict};

use crate::support::{Fault, Seen, Time, retry, seconds, verdict};

#[test]
fn a_classification_returns_a_bool_an_outcome_or_a_verdict() {
    let after = Verdict::from(Outcome::Throttled).retry_after(seconds(2));
    let table: [(Verdict, Verdict); 6] = [
        (true.into_verdict(Outcome::Permanent), Outcome::Transient.into()),
        (false.into_verdict(Outcome::Permanent), Outcome::Permanent.into()),
        (false.into_verdict(Outcome::Success), Outcome::Success.into()),
        (Outcome::Timeout.into_verdict(Outcome::Permanent), Outcome::Timeout.into()),
        (after.into_verdict(Outcome::Permanent), after),
        (after.retry_after(None), Outcome::Throttled.into()),
    ];
    for (verdict, expected) in table {
        assert_eq!(verdict, expected);
    }
}

#[test]
fn retry_after_headers_are_parsed() {
    // The system's clock is after 1994 and before 9999.
    let table: [(&str, Option<Duration>); 5] = [
        ("120", Some(seconds(120))),
        (" 0\t", Some(Duration::ZERO)),
        ("Sun, 06 Nov 1994 08:49:37 GMT", Some(Duration::ZERO)),
        ("Fri, 31 Dec 9999 23:59:59 GMT", Some(Duration::from_nanos(backoff_retry::MAX_NS))),
        ("soon", None),
    ];
    for (header, expected) in table {
        assert_eq!(backoff_retry::parse_retry_after(header), expected, "{header}");
    }
}

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
