//! Loops of which nobody sees more than the result. They are the same as others, with less work.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use backoff_retry::{Outcome, Policy, RandomStream, Retry, Verdict};

/// The result, the waits, and the number of calls and of classifications.
type Run = (Result<usize, usize>, Vec<Duration>, usize, usize);

/// The calls end in this order. A hook makes the loop watched.
fn run(policy: &str, script: &[Outcome; 4], is_watched: bool) -> Run {
    let (waits, reads) = (RefCell::new(Vec::new()), Cell::new(0));
    let (mut calls, mut classified) = (0, 0);
    let retry = Retry::with_stream(Policy::parse(policy).unwrap(), RandomStream::from_seed(7))
        .sleep(|delay| waits.borrow_mut().push(delay))
        .clock(|| {
            reads.set(reads.get() + 1);
            Duration::ZERO
        });
    let plan = retry.when(|&call: &usize| {
        classified += 1;
        Verdict::from(script[call]).retry_after((call == 1).then_some(Duration::from_secs(3)))
    });
    let call = || {
        calls += 1;
        let (call, outcome) = (calls - 1, script.get(calls - 1));
        if outcome == Some(&Outcome::Success) { Ok(call) } else { Err(call) }
    };
    let result = if is_watched { plan.on_stop(|_| {}).call(call) } else { plan.call(call) };
    assert_eq!(reads.get() > 0, is_watched);
    (result, waits.take(), calls, classified)
}

#[test]
fn they_end_as_watched_loops_do() {
    let outcomes = [Outcome::Success, Outcome::Transient, Outcome::Throttled, Outcome::Permanent];
    for policy in [
        "off",
        "constant:base=0s,max_retries=3",
        "full:base=1s,max_retries=2",
        "linear:base=1s,throttled_base=2s,retry_after=spread,max_retries=3",
    ] {
        for number in 0_usize..256 {
            let script = std::array::from_fn(|call| outcomes[number >> (2 * call) & 3]);
            let (unwatched, watched) = (run(policy, &script, false), run(policy, &script, true));
            assert_eq!(unwatched, watched, "{policy}, {script:?}");
            let calls = unwatched.2;
            assert_eq!(unwatched.1.len(), calls - 1);
            assert_eq!(unwatched.3, calls - usize::from(unwatched.0.is_ok()));
        }
    }
}
