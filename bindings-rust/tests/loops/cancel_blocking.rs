//! Blocking loops that their caller cancels.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use backoff_retry::{
    Budget, CancelOnDrop, Decision, Outcome, Policy, RandomStream, RetryStats, StopReason,
};

use crate::support::{Seen, budget_state, retry};

#[test]
fn no_hook_runs_after_a_panic_of_the_check() {
    // The last check is the one after the second call.
    for (panics_at, attempts) in (1..).zip([0, 1, 1, 1, 2]) {
        let (seen, stats) = (Seen::default(), RetryStats::new());
        let budget = Budget::parse("concurrent").unwrap();
        let plan = retry("constant:base=3s")
            .sleep(|_| {})
            .budget(&budget)
            .stats(&stats)
            .when(|()| true)
            .on_stop(|event| seen.stop(event));
        let (mut checks, mut calls) = (0, 0);
        let check = || {
            checks += 1;
            assert_ne!(checks, panics_at, "on purpose");
            false
        };
        let call = || {
            calls += 1;
            Err::<(), _>(())
        };
        let ended = catch_unwind(AssertUnwindSafe(|| plan.call_until(check, call)));
        assert!(ended.is_err());
        assert_eq!((checks, calls), (panics_at, attempts));
        assert!(seen.lines().is_empty(), "{:?}", seen.lines());
        assert_eq!(stats.stops(StopReason::Cancelled), 1);
        assert_eq!(budget_state(&budget), budget_state(&Budget::parse("concurrent").unwrap()));
    }
}

#[test]
fn the_budget_is_released_before_the_hook_runs() {
    let idle = budget_state(&Budget::parse("concurrent").unwrap());
    let budget = Budget::parse("concurrent").unwrap();
    let retry = retry("constant:base=1s").sleep(|_| ControlFlow::Break(())).budget(&budget);
    let plan = retry.when(|()| true).on_stop(|_| assert_eq!(budget_state(&budget), idle));
    assert_eq!(plan.call_with_report(|| Err::<(), _>(())).reason, StopReason::Cancelled);
}

#[test]
fn an_operation_that_is_dropped_leaves_the_budget_as_it_was() {
    let idle = budget_state(&Budget::parse("concurrent").unwrap());
    let budget = Budget::parse("concurrent").unwrap();
    let policy = Policy::parse("constant:base=1s").unwrap();
    let stream = RandomStream::from_seed(42);
    let begin = || CancelOnDrop::begin(policy, stream, 0, None, Some((&budget).into()));
    let wait = Decision::Wait { delay_ns: 1_000_000_000 };

    let panics = catch_unwind(AssertUnwindSafe(|| {
        let mut operation = begin();
        assert_eq!(operation.decide(Outcome::Transient, None, 0), wait);
        assert_eq!((operation.attempts(), operation.retries()), (2, 1));
        assert_ne!(budget_state(&budget), idle);
        panic!("on purpose");
    }));
    assert!(panics.is_err());
    assert_eq!(budget_state(&budget), idle);

    // One that has stopped is not cancelled again.
    let mut operation = begin();
    assert_eq!(operation.cancel(), StopReason::Cancelled);
    assert_eq!(operation.reason(), Some(StopReason::Cancelled));
    assert_eq!(budget_state(&budget), idle);
    let other = begin();
    let active = budget_state(&budget);
    drop(operation);
    assert_eq!(budget_state(&budget), active);
    drop(other);
}
