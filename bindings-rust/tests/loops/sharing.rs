//! Values that loops share, and values that each loop has for itself.

use std::collections::HashSet;
use std::thread;
use std::time::Duration;

use backoff_retry::{
    Budget, Clock, Decision, Monotonic, Operation, Outcome, Policy, RandomStream, Retry, StopReason,
};

use crate::support::Time;

#[test]
fn a_loop_can_share_a_budget_with_an_operation() {
    // A token returns every 200 ms of the clock that the whole process shares.
    let budget = Budget::parse("rate:max_tokens=1,per=200ms").unwrap();
    let policy = Policy::parse("constant:base=0s").unwrap();
    let stream = RandomStream::from_seed(0);
    let by_hand = |now| {
        let mut operation = Operation::begin(policy, stream, now, None, Some(&budget));
        operation.decide(Outcome::Transient, None, now, Some(&budget))
    };
    assert_eq!(by_hand(Monotonic.now_ns()), Decision::Wait { delay_ns: 0 });
    let retry = Retry::with_stream(policy, stream).budget(&budget);
    let run = || retry.when(|()| true).call_with_report(|| Err::<(), _>(())).reason;
    assert_eq!(run(), StopReason::Budget);
    thread::sleep(Duration::from_millis(210));
    assert_eq!(by_hand(Monotonic.now_ns()), Decision::Wait { delay_ns: 0 });
}

#[test]
fn each_loop_has_a_stream_of_its_own_unless_one_is_set() {
    let waits = |retry: &Retry<'_>| {
        let time = Time::default();
        let retry = retry.clone().sleep(|delay| time.wait(delay));
        let _ = retry.when(|()| true).call(|| Err::<(), _>(()));
        time.waits()
    };
    let policy = Policy::parse("full:base=1h,max_retries=2").unwrap();
    let entropy = Retry::new(policy);
    let different: HashSet<_> = (0..10).map(|_| waits(&entropy)).collect();
    assert_eq!(different.len(), 10);

    let stream = RandomStream::from_key(42, "job-1");
    let with_stream = [
        Retry::new(policy).stream(stream),
        Retry::new(policy).seed_and_key(42, "job-1"),
        Retry::with_stream(policy, stream),
    ];
    for retry in with_stream {
        assert_eq!(waits(&retry), [policy.delay(stream, 0), policy.delay(stream, 1)]);
        assert_eq!(waits(&retry), waits(&retry), "the same stream in each loop");
    }
}
