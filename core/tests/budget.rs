//! Budgets that operations on many threads share.

use std::sync::atomic::{AtomicU64, Ordering};

use backoff_core::{Budget, BudgetLevel, Decision, Operation, Outcome, Policy, RandomStream, ffi};

const THREADS: u64 = 4;
const OPERATIONS: u64 = if cfg!(miri) { 20 } else { 20_000 };

/// Fails every attempt of many operations on several threads. Returns the number of retries granted.
fn granted_retries(budget: &Budget) -> u64 {
    let policy = Policy::parse("constant:base=0s,max_retries=1").unwrap();
    let granted = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..OPERATIONS {
                    let budget = Some(budget);
                    let mut operation =
                        Operation::begin(policy, RandomStream::from_seed(0), 0, None, budget);
                    for _ in 0..2 {
                        let decision = operation.decide(Outcome::Transient, None, 0, budget);
                        if matches!(decision, Decision::Wait { .. }) {
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
    // The tokens of the full budget and those that the operations earned. Less than one retry's
    // worth is left over.
    let earned = 10 + THREADS * OPERATIONS / 10;
    let ratio = granted_retries(&Budget::parse("ratio").unwrap());
    assert!((earned - 10..=earned).contains(&ratio), "{ratio} of {earned}");
    // The clock does not move, so nothing is refilled.
    assert_eq!(granted_retries(&Budget::parse("rate:max_tokens=77").unwrap()), 77);
    assert_eq!(granted_retries(&Budget::parse("quota:max_tokens=300,cost=5").unwrap()), 60);
    // The reserve of 100, and a fifth of the operations.
    let ttl = granted_retries(&Budget::parse("ttl").unwrap());
    let earned = 100 + THREADS * OPERATIONS / 5;
    assert!((earned - 100..=earned).contains(&ttl), "{ttl} of {earned}");
}

#[test]
fn concurrent_counts_return_to_zero() {
    let budget = Budget::parse("concurrent:min_concurrent=1").unwrap();
    let full = ffi::budget_to_words(&budget);
    granted_retries(&budget);
    assert_eq!(ffi::budget_to_words(&budget), full);
}

/// SPEC 15.9, after one operation that waits for a retry since time 0.
#[test]
fn levels_are_what_is_left() {
    const SECOND: u64 = 1_000_000_000;
    let policy = Policy::parse("constant:base=1s").unwrap();
    for (text, now_ns, level, max, unit) in [
        ("quota:max_tokens=12,cost=5", 0, 7, 12, 1),
        ("throttle", 0, 9_000, 10_000, 1_000),
        ("ratio", 0, 90, 100, 10),
        ("rate", 0, 59 * 60 * SECOND, 60 * 60 * SECOND, 60 * SECOND),
        ("rate", SECOND / 2, 59 * 60 * SECOND + 30 * SECOND, 60 * 60 * SECOND, 60 * SECOND),
        ("rate", 2 * SECOND, 60 * 60 * SECOND, 60 * 60 * SECOND, 60 * SECOND),
        ("ttl", 0, 500 + 1 - 5, 500, 5),
        ("ttl", 9 * SECOND, 500 + 1 - 5, 500, 5),
        ("ttl", 10 * SECOND, 500, 500, 5),
        ("concurrent", 0, 2, 3, 1),
        ("concurrent:ratio=1,min_concurrent=0", 0, 0, 1, 1),
    ] {
        let budget = Budget::parse(text).unwrap();
        let full = budget.level(0);
        let some = Some(&budget);
        let mut operation = Operation::begin(policy, RandomStream::from_seed(0), 0, None, some);
        assert!(matches!(
            operation.decide(Outcome::Transient, None, 0, some),
            Decision::Wait { .. }
        ));
        let before = ffi::budget_to_words(&budget);
        let expected = BudgetLevel { level, max, unit };
        assert_eq!(budget.level(now_ns), expected, "{text} at {now_ns}");
        assert_eq!(ffi::budget_to_words(&budget), before, "{text}");
        if !text.contains("min_concurrent=0") {
            assert_eq!((full.level, full.max), (max, max), "{text}, full");
        }
    }
}
