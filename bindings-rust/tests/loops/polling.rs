//! Which results are repeated.

use std::time::Duration;

use backoff_retry::{Event, IntoVerdict, Outcome, Report, StopReason, Verdict};

use crate::support::{Fault, Seen, Time, retry, seconds, verdict};

#[test]
fn what_a_classification_may_answer() {
    let hinted = Verdict::from(Outcome::Throttled).hint(seconds(2));
    let table: [(Verdict, Verdict); 6] = [
        (true.into_verdict(Outcome::Permanent), Outcome::Transient.into()),
        (false.into_verdict(Outcome::Permanent), Outcome::Permanent.into()),
        (false.into_verdict(Outcome::Success), Outcome::Success.into()),
        (Outcome::Timeout.into_verdict(Outcome::Permanent), Outcome::Timeout.into()),
        (hinted.into_verdict(Outcome::Permanent), hinted),
        (hinted.hint(None), Outcome::Throttled.into()),
    ];
    for (answered, verdict) in table {
        assert_eq!(answered, verdict);
    }
}

#[test]
fn what_a_server_asks_for() {
    // Dates are compared with the system's clock.
    let table: [(&str, Option<Duration>); 5] = [
        ("120", Some(seconds(120))),
        (" 0\t", Some(Duration::ZERO)),
        ("Sun, 06 Nov 1994 08:49:37 GMT", Some(Duration::ZERO)),
        ("Fri, 31 Dec 9999 23:59:59 GMT", Some(Duration::from_nanos(backoff_retry::MAX_NS))),
        ("soon", None),
    ];
    for (header, hint) in table {
        assert_eq!(backoff_retry::retry_after(header), hint, "{header}");
    }
}

#[test]
fn what_is_longer_than_can_be_said_is_the_longest() {
    let time = Time::default();
    let result = retry("constant:base=1s,hint=exact,hint_max=4s,max_retries=1")
        .clock(time.clock())
        .sleep(time.sleep())
        .when(|()| Verdict::from(Outcome::Throttled).hint(Duration::MAX))
        .deadline_at(Duration::MAX)
        .call(|| Err::<(), ()>(()));
    assert_eq!((result, time.waits()), (Err(()), vec![seconds(4)]));
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Job {
    Pending,
    Busy,
    Done,
    Failed,
}

/// The polling loop of a job: goes on while it is pending or throttled, and stops at anything else.
fn progress(job: Job) -> Verdict {
    match job {
        Job::Pending => Outcome::Transient.into(),
        Job::Busy => Verdict::from(Outcome::Throttled).hint(Duration::from_secs(9)),
        Job::Done => Outcome::Success.into(),
        Job::Failed => Outcome::Permanent.into(),
    }
}

#[test]
fn values_of_any_type_are_polled() {
    use Job::{Busy, Done, Failed, Pending};
    let table: [(&[Job], Job, StopReason, &[u64]); 4] = [
        (&[Done], Done, StopReason::Success, &[]),
        (&[Pending, Busy, Done], Done, StopReason::Success, &[1, 9]),
        (&[Pending, Failed], Failed, StopReason::Permanent, &[1]),
        (&[Pending, Pending, Pending, Busy], Busy, StopReason::MaxRetries, &[1, 1, 1]),
    ];
    for (jobs, last, because, waits) in table {
        let time = Time::default();
        let mut jobs = jobs.iter();
        let Report { result, reason, .. } = retry("constant:base=1s,max_retries=3")
            .sleep(time.sleep())
            .classify(|job| progress(*job))
            .run(|| *jobs.next().unwrap());
        assert_eq!((result, reason), (last, because));
        assert_eq!(time.waits(), waits.iter().copied().map(seconds).collect::<Vec<_>>());
    }
}

#[test]
fn errors_and_values_are_classified_apart() {
    // (result of each call, the last but one until the end, how the loop ends)
    let table: [(&[Result<u8, Fault>], StopReason); 5] = [
        (&[Ok(1)], StopReason::Success),
        (&[Ok(0), Err(Fault::Soft), Ok(1)], StopReason::Success),
        (&[Ok(0), Err(Fault::Hard)], StopReason::Permanent),
        (&[Ok(0), Ok(0), Ok(0)], StopReason::MaxRetries),
        (&[Err(Fault::Soft), Ok(0), Err(Fault::Slow)], StopReason::MaxRetries),
    ];
    for (script, because) in table {
        let mut results = script.iter().copied();
        let report = retry("constant:base=0s,max_retries=2")
            .when(verdict)
            .when_value(|value: &u8| *value == 0)
            .run(|| results.next().unwrap());
        assert_eq!((report.reason, Some(&report.result)), (because, script.last()));
        assert_eq!(report.attempts, script.len() as u64);
    }
}

#[test]
fn nothing_is_repeated_that_the_caller_did_not_say() {
    let retry = retry("constant:base=0s");
    let failed = || Err::<u8, _>(Fault::Soft);
    let ends = [
        (retry.when(|_: &Fault| false).run(failed), StopReason::Permanent),
        (retry.when(|_: &Fault| false).when_value(|_| true).run(failed), StopReason::Permanent),
        (retry.when(|_: &Fault| true).when_value(|_| false).run(|| Ok(1)), StopReason::Success),
        (retry.when(|_: &Fault| true).run(|| Ok(1)), StopReason::Success),
        // What is judged whole is a value, also if it is an error.
        (retry.classify(|_: &Result<u8, Fault>| false).run(failed), StopReason::Success),
    ];
    for (at, (report, reason)) in ends.into_iter().enumerate() {
        assert_eq!((report.reason, report.attempts), (reason, 1), "row {at}");
    }
}

#[test]
fn an_event_shows_the_error_or_the_value() {
    let seen = Seen::default();
    let note = |event: &Event<'_, Result<u8, Fault>>| {
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
