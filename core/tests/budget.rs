//! Budgets that operations on many threads share.

use std::sync::atomic::{AtomicU64, Ordering};

use backoff_core::{Budget, Decision, Operation, Outcome, Policy, RandomStream, ffi};

const THREADS: u64 = 4;
const OPERATIONS: u64 = 20_000;

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
    assert_eq!(granted_retries(&Budget::parse("quota:max_tokens=500,cost=5").unwrap()), 100);
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
