//! Budgets whose lock is damaged.

use core::sync::atomic::Ordering;

use crate::decision::atomic::AtomicU64;
use crate::decision::budget::Budget;
use crate::decision::budget::lock::DAMAGED;
use crate::decision::operation::Operation;
use crate::decision::outcome::{Decision, Outcome, StopReason};
use crate::policy::Policy;
use crate::random::stream::RandomStream;

#[test]
fn a_damaged_budget_grants_no_retry_and_stays_as_it_is() {
    for lock in [DAMAGED, 3, u64::MAX] {
        let budget = Budget::parse("ratio").unwrap();
        let before = budget.state.words.each_ref().map(|word| word.load(Ordering::Relaxed));
        budget.state.lock.store(lock, Ordering::Relaxed);
        let policy = Policy::parse("constant:base=1ns").unwrap();
        let stream = RandomStream::from_seed(1);
        let mut operation = Operation::begin(policy, stream, 0, None, Some(&budget));
        let decision = operation.decide(Outcome::Transient, None, 0, Some(&budget));
        assert_eq!(decision, Decision::Stop { reason: StopReason::Budget, delay_ns: 1 });
        assert_eq!(budget.state.words.map(AtomicU64::into_inner), before);
        assert_eq!(budget.state.lock.into_inner(), lock);
    }
}

#[test]
fn a_slow_holder_does_not_free_a_lock_that_counts_as_damaged() {
    let budget = Budget::parse("ratio").unwrap();
    let state = budget.state.lock().unwrap();
    budget.state.lock.store(DAMAGED, Ordering::Relaxed);
    budget.state.unlock(&state);
    assert_eq!(budget.state.lock.into_inner(), DAMAGED);
}

#[test]
fn a_damaged_budget_has_nothing_left() {
    for kind in ["quota", "throttle", "ratio", "rate", "ttl", "concurrent"] {
        let budget = Budget::parse(kind).unwrap();
        budget.state.lock.store(DAMAGED, Ordering::Relaxed);
        assert!(!budget.wait_until_free(|| (), || ()), "{kind}");
        assert_eq!(budget.level(0).level, 0, "{kind}");
    }
}
