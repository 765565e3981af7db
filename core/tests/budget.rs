//! Budgets that operations on many threads share, and what operations keep.

use std::sync::atomic::{AtomicU64, Ordering};

use backoff_core::{
    Backoff, Budget, Decision, History, Operation, Outcome, Policy, StopReason, Stream,
};
use proptest::prelude::*;

const THREADS: u64 = 4;
const OPERATIONS: u64 = 20_000;

/// Fails every attempt of many operations on some threads; how many retries were granted.
fn granted(budget: &Budget) -> u64 {
    let policy = Policy::parse("constant:base=0s,max_retries=1").unwrap();
    let granted = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..OPERATIONS {
                    let budget = Some(budget);
                    let mut operation =
                        Operation::begin(policy, Stream::from_seed(0), 0, None, budget);
                    for _ in 0..2 {
                        let decision = operation.decide(Outcome::Transient, None, 0, budget);
                        if matches!(decision, Decision::Wait(_)) {
                            granted.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
    });
    granted.into_inner()
}

#[test]
fn threads_lose_and_gain_no_token() {
    // What was there, and what every operation earned; no more than a token is left over.
    let earned = 10 + THREADS * OPERATIONS / 10;
    let ratio = granted(&Budget::parse("ratio").unwrap());
    assert!((earned - 10..=earned).contains(&ratio), "{ratio} of {earned}");
    // The clock stands still, so nothing is refilled.
    assert_eq!(granted(&Budget::parse("rate:max_tokens=77").unwrap()), 77);
    assert_eq!(granted(&Budget::parse("quota:max_tokens=500,cost=5").unwrap()), 100);
    // 100 in reserve, and a fifth of the operations.
    let ttl = granted(&Budget::parse("ttl").unwrap());
    let earned = 100 + THREADS * OPERATIONS / 5;
    assert!((earned - 100..=earned).contains(&ttl), "{ttl} of {earned}");
}

#[test]
fn concurrent_counts_return_to_nothing() {
    let budget = Budget::parse("concurrent:min_concurrent=1").unwrap();
    let full = budget.to_words();
    granted(&budget);
    assert_eq!(budget.to_words(), full);
}

#[test]
fn threads_lose_no_count() {
    let history = History::new();
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for attempts in 1..=OPERATIONS {
                    history.record(attempts % 3 + 1, StopReason::Budget);
                }
            });
        }
    });
    assert_eq!(history.operations(), THREADS * OPERATIONS);
    assert_eq!(history.stopped(StopReason::Budget), THREADS * OPERATIONS);
    let attempts: u64 = (1..=OPERATIONS).map(|attempts| attempts % 3 + 1).sum();
    assert_eq!(history.attempts(), THREADS * attempts);
}

#[test]
fn a_page_of_counts_is_of_one_moment() {
    let history = History::new();
    let done = AtomicU64::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for attempts in 1..=OPERATIONS {
                history.record(attempts % 7, StopReason::Success);
            }
            done.store(1, Ordering::Relaxed);
        });
        let mut before = 0;
        while done.load(Ordering::Relaxed) == 0 {
            let page: Vec<_> = history.lines().collect();
            let find = |start| -> u64 {
                let rest = page.iter().find_map(|line| line.as_str().strip_prefix(start));
                rest.unwrap().trim().parse().unwrap()
            };
            let all = find("backoff_attempts_count");
            assert_eq!(find("backoff_attempts_bucket{le=\"+Inf\"}"), all);
            let retries = find("backoff_retries_total ");
            assert_eq!(find("backoff_attempts_sum"), all + retries);
            assert!(retries >= before, "{retries} after {before}");
            before = retries;
        }
    });
}

#[test]
fn no_attempts_count_as_one() {
    let history = History::new();
    history.record(0, StopReason::Cancelled);
    history.record(2, StopReason::Success);
    assert_eq!((history.operations(), history.attempts(), history.retries()), (2, 3, 1));
}

#[test]
fn counts_stay_at_the_largest_number() {
    let history = History::new();
    history.record(u64::MAX, StopReason::Success);
    history.record(2, StopReason::Success);
    assert_eq!((history.attempts(), history.operations()), (u64::MAX, 2));
    history.merge(&history.clone());
    assert_eq!((history.attempts(), history.operations()), (u64::MAX, 4));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_delay_is_within_its_preview(
        line in prop::sample::select(vec![
            "full:base=100ms,cap=20s", "equal:base=1ns,cap=1h", "decorrelated:base=1ms,cap=9s",
            "exponential:base=3ms,jitter=decorrelated,cap=1s,floor=7ms", "ethernet", "sidekiq",
            "google-cloud", "grpc-connect", "fibonacci:base=1s,jitter=1/3", "celery",
        ]),
        seed: u64,
    ) {
        let policy = Policy::parse(line).unwrap();
        let mut total = 0;
        for (row, delay) in policy.preview().zip(Backoff::new(policy, Stream::from_seed(seed))).take(60) {
            let delay = u64::try_from(delay.as_nanos()).unwrap();
            total = backoff_core::MAX_NS.min(total + delay);
            prop_assert!((row.smallest..=row.largest).contains(&delay));
            prop_assert!((row.total_smallest..=row.total_largest).contains(&total));
        }
    }

    #[test]
    fn no_wait_ends_after_a_limit(
        max_elapsed in 0_u64..1000, deadline in 0_u64..1000, steps in prop::collection::vec((0_u64..300, 0_u64..200), 1..20),
    ) {
        let policy = Policy::parse(format!("full:base=50ns,max_elapsed={max_elapsed}ns")).unwrap();
        let mut operation = Operation::begin(policy, Stream::from_seed(1), 5, Some(deadline), None);
        let mut now = 5;
        for (passed, hint) in steps {
            now += passed;
            match operation.decide(Outcome::Transient, Some(hint), now, None) {
                Decision::Wait(delay) => {
                    now += delay;
                    prop_assert!(now - 5 <= max_elapsed && now <= deadline);
                }
                Decision::Stop { reason: StopReason::MaxElapsed, delay_ns } => {
                    prop_assert!(now - 5 + delay_ns > max_elapsed);
                    break;
                }
                Decision::Stop { reason, delay_ns } => {
                    prop_assert_eq!(reason, StopReason::Deadline);
                    prop_assert!(now - 5 + delay_ns <= max_elapsed && now + delay_ns > deadline);
                    break;
                }
            }
        }
    }
}
