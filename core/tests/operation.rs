//! Operations and previews at their limits: numbers that follow from SPEC 13.4 and 16 by hand.

use backoff_core::{Decision, MAX_NS, Operation, Outcome, Policy, RandomStream, StopReason};

const STREAM: RandomStream = RandomStream::from_seed(0);

fn policy(text: &str) -> Policy {
    Policy::parse(text).unwrap()
}

fn fail(operation: &mut Operation, now_ns: u64) -> Decision {
    operation.decide(Outcome::Transient, None, now_ns, None)
}

fn stop(reason: StopReason, delay_ns: u64) -> (Option<StopReason>, u64) {
    (Some(reason), delay_ns)
}

fn parts(decision: Decision) -> (Option<StopReason>, u64) {
    (decision.stop_reason(), decision.delay_ns())
}

#[test]
fn an_attempt_is_counted_when_its_wait_is_decided() {
    let mut operation =
        Operation::begin(policy("constant:base=7ns,max_retries=2"), STREAM, 0, None, None);
    let mut counts = vec![(operation.retries(), operation.attempts())];
    let decisions = [0, 7, 14, 21].map(|now_ns| {
        let decision = fail(&mut operation, now_ns);
        counts.push((operation.retries(), operation.attempts()));
        parts(decision)
    });
    // Two retries are three attempts; a stop is none.
    assert_eq!(counts, [(0, 1), (1, 2), (2, 3), (2, 3), (2, 3)]);
    let end = stop(StopReason::MaxRetries, 0);
    assert_eq!(decisions, [(None, 7), (None, 7), end, end]);

    let cancelled = Operation::begin(policy("constant:base=7ns"), STREAM, 0, None, None);
    assert_eq!((cancelled.retries(), cancelled.attempts()), (0, 1));
}

#[test]
fn no_limit_never_stops_an_operation() {
    for text in [
        "constant:base=9223372036854775807ns",
        "constant:base=9223372036854775807ns,max_elapsed=none",
    ] {
        for now_ns in [0, 1, MAX_NS, u64::MAX] {
            let mut operation = Operation::begin(policy(text), STREAM, 0, None, None);
            let decisions = [fail(&mut operation, now_ns), fail(&mut operation, now_ns)];
            assert_eq!(decisions.map(parts), [(None, MAX_NS); 2], "{text} at {now_ns}");
        }
    }
    // The longest limit that is one.
    let text = "constant:base=9223372036854775806ns,max_elapsed=9223372036854775806ns";
    let late = stop(StopReason::MaxElapsed, MAX_NS - 1);
    for (now_ns, decision) in [(0, (None, MAX_NS - 1)), (1, late), (u64::MAX, late)] {
        let mut operation = Operation::begin(policy(text), STREAM, 0, None, None);
        assert_eq!(parts(fail(&mut operation, now_ns)), decision, "at {now_ns}");
    }
    // A `retry_after` without a limit, and no deadline.
    let unlimited = policy("constant:base=1s,retry_after_max=none");
    let mut operation = Operation::begin(unlimited, STREAM, 5, Some(u64::MAX), None);
    let decision = operation.decide(Outcome::Throttled, Some(u64::MAX), 9, None);
    assert_eq!(parts(decision), (None, MAX_NS));
}

#[test]
fn a_wait_may_end_at_a_limit_and_not_after_it() {
    let waits = policy("constant:base=10ns,max_elapsed=30ns");
    for (now_ns, decision) in [(20, (None, 10)), (21, stop(StopReason::MaxElapsed, 10))] {
        let mut operation = Operation::begin(waits, STREAM, 0, None, None);
        assert_eq!(parts(fail(&mut operation, now_ns)), decision);
    }
    for (now_ns, decision) in [(20, (None, 10)), (21, stop(StopReason::Deadline, 10))] {
        let mut operation =
            Operation::begin(policy("constant:base=10ns"), STREAM, 0, Some(30), None);
        assert_eq!(parts(fail(&mut operation, now_ns)), decision);
    }
}

#[test]
fn a_preview_has_the_rows_whose_shortest_waits_fit() {
    let totals = |text: &str| -> Vec<u64> {
        policy(text).preview().map(|row| row.total_min_ns).take(5).collect()
    };
    // The third wait ends exactly at the limit, and a nanosecond after it.
    assert_eq!(totals("constant:base=10ns,max_elapsed=30ns"), [10, 20, 30]);
    assert_eq!(totals("constant:base=10ns,max_elapsed=29ns"), [10, 20]);
    assert_eq!(totals("constant:base=0s,max_elapsed=0s"), [0; 5]);
    assert_eq!(totals("constant:base=1ns,max_elapsed=0s"), []);
    // Without a limit the totals saturate.
    assert_eq!(totals("constant:base=9223372036854775807ns"), [MAX_NS; 5]);
    let longest = "constant:base=9223372036854775806ns,max_elapsed=9223372036854775806ns";
    assert_eq!(totals(longest), [MAX_NS - 1]);
}
