//! The store is away: it fails, does not answer, or has what is not a state.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use backoff_retry::{Fallback, RetryStats, SharedBudget, StopReason};

use crate::store::{Fault, Memory};
use crate::{block_on, builder, retry, shared};

/// The retries of one loop, at most four: whether the local budget decided, and the end.
fn decided(budget: &SharedBudget) -> (Vec<bool>, StopReason, bool) {
    let (mut retries, mut end) = (Vec::new(), None);
    let retry = retry("constant:base=0s,max_retries=4").shared_budget(budget);
    let report = retry
        .when(|(): &()| true)
        .on_retry(|event| retries.push(event.budget_is_local))
        .on_stop(|event| end = Some(event.budget_is_local))
        .call_with_report(|| Err::<(), _>(()));
    (retries, report.reason, end.unwrap())
}

#[test]
fn the_local_budget_decides_when_the_store_fails() {
    let wrong = "9 1 1".to_owned();
    for (fault, said) in [
        (Fault::Load, "the load failed"),
        (Fault::Swap { is_made: false }, "no answer to the swap"),
        (Fault::Panic, "panicked: the store is broken"),
        (Fault::Race(wrong), "has \"9 1 1\", which is not the state of this budget"),
    ] {
        let store = Memory::with_faults([fault]);
        let budget = builder(&store, "quota:max_tokens=9,cost=1");
        let budget = budget.local_budget("quota:max_tokens=1,cost=1").build().unwrap();
        let (retries, reason, is_local) = decided(&budget);
        // The store is away for a second, so all is local, unless the machine sleeps for longer.
        assert_eq!((retries.first(), reason), (Some(&true), StopReason::Budget), "{said}");
        assert!(is_local, "{said}");
        let error = budget.last_error().unwrap().to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn a_process_that_refuses_grants_nothing_while_the_store_is_away() {
    let store = Memory::with_faults([Fault::Load]);
    let budget = builder(&store, "sre").fallback(Fallback::Refuse).build().unwrap();
    assert_eq!(decided(&budget), (vec![], StopReason::Budget, true));
}

/// The limit of a future needs neither a runtime nor the sleep of the loop.
#[test]
fn a_store_that_does_not_answer_is_not_waited_for() {
    for is_future in [false, true] {
        let (end, hangs) = channel::<()>();
        let store = Memory::with_faults([Fault::Hang(hangs)]);
        let budget = SharedBudget::builder(store, "test", "quota:max_tokens=1,cost=1");
        let budget = budget.timeout(Duration::from_millis(20)).build().unwrap();
        let (retries, reason, is_local) = if is_future {
            let (retry, seen) =
                (retry("constant:base=0s").shared_budget(&budget), Mutex::default());
            let plan = retry.sleep(|_| std::future::ready(())).when(|(): &()| true);
            let plan =
                plan.on_retry(|event| Vec::push(&mut seen.lock().unwrap(), event.budget_is_local));
            let report = block_on(plan.call_async_with_report(async || Err::<(), _>(())));
            (seen.into_inner().unwrap(), report.reason, true)
        } else {
            decided(&budget)
        };
        assert_eq!((retries.first(), reason, is_local), (Some(&true), StopReason::Budget, true));
        let error = budget.last_error().unwrap().to_string();
        assert_eq!(error, "the store did not answer within 1s");
        assert!(!budget.flush());
        drop(end);
    }
}

#[test]
fn a_future_that_is_dropped_while_it_asks_is_cancelled() {
    let (end, hangs) = channel::<()>();
    let store = Memory::with_faults([Fault::Hang(hangs)]);
    let (stats, reasons) = (Arc::new(RetryStats::new()), Arc::<Mutex<Vec<_>>>::default());
    let seen = Arc::clone(&reasons);
    let budget = shared(&store, "quota:max_tokens=9,cost=1");
    let retry = retry("constant:base=0s").shared_budget(&budget).stats(&stats);
    let plan = retry.when(|(): &()| true).on_stop(move |event| {
        seen.lock().unwrap().push((event.reason, event.attempts, event.result.copied()));
    });
    let mut future = Box::pin(plan.call_async_with_report(async || Err::<(), _>(())));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(future.as_mut().poll(&mut context).is_pending());
    drop(future);
    let cancelled = StopReason::Cancelled;
    assert_eq!(*reasons.lock().unwrap(), [(Some(cancelled), 1, Some(Err(())))]);
    assert_eq!((stats.operations(), stats.stops(cancelled)), (1, 1));
    drop(end);
    assert!(budget.flush());
    let text = store.world().texts.values().next().cloned();
    assert!(text.as_ref().is_some_and(|text| text.contains(" 9 |")), "it has paid: {text:?}");
}
