//! Operations whose granted retries somebody else refuses, and verdicts on fields that HTTP does not allow.

use backoff_retry::{
    Budget, Decision, Operation, Outcome, Policy, RandomStream, StopReason, Verdict,
};

const WAIT: Decision = Decision::Wait { delay_ns: 1_000_000_000 };

#[test]
fn a_refused_retry_frees_its_slot_and_ends_the_operation() {
    let one_at_a_time = Budget::parse("concurrent:min_concurrent=1,ratio=0").unwrap();
    let budget = Some(&one_at_a_time);
    let policy = Policy::parse("constant:base=1s,max_retries=3").unwrap();
    let begin = || Operation::begin(policy, RandomStream::from_seed(0), 0, None, budget);
    let (mut first, mut second) = (begin(), begin());
    assert_eq!(first.decide(Outcome::Transient, None, 0, budget), WAIT);
    assert_eq!(first.retries(), 1);
    assert_eq!(first.refuse_retry(budget), StopReason::Budget);
    assert_eq!((first.retries(), first.reason()), (0, Some(StopReason::Budget)));
    let stop = Decision::Stop { reason: StopReason::Budget, delay_ns: 0 };
    assert_eq!(first.decide(Outcome::Transient, None, 0, budget), stop);
    // The slot is free, and later calls of the first operation do not free it once more.
    assert_eq!(second.decide(Outcome::Transient, None, 0, budget), WAIT);
    assert_eq!(first.refuse_retry(budget), StopReason::Budget);
    assert_eq!(first.cancel(budget), StopReason::Budget);
    let mut third = begin();
    let refused = third.decide(Outcome::Transient, None, 0, budget).stop_reason();
    assert_eq!(refused, Some(StopReason::Budget));
}

#[test]
fn a_field_with_a_line_feed_is_no_second_field() {
    for field in [("Other", "7\nRetry-After: 9"), ("Other\nRetry-After", "9")] {
        assert_eq!(Verdict::of_http(503, [field]).retry_after, None);
        let found = Verdict::of_http(503, [field, ("Retry-After", "2")]);
        assert_eq!(found.retry_after.map(|wait| wait.as_secs()), Some(2));
    }
}
