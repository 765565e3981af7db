//! What goes to the store, and when.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use backoff_retry::{
    BudgetEvent, BudgetExchange, BudgetStore, Outcome, SharedBudget, StopReason, StoreError,
    Stored, SwapOutcome,
};

use crate::store::{Fault, Memory};
use crate::{builder, retry, run, shared};

type Log = Arc<Mutex<Vec<BudgetExchange>>>;

fn log() -> (Log, impl Fn(&BudgetExchange) + Send + Sync + 'static) {
    let log = Log::default();
    let seen = Arc::clone(&log);
    (log, move |exchange| seen.lock().unwrap().push(exchange.clone()))
}

/// Waits for what another thread does.
fn eventually(mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it does not come");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn an_exchange_says_what_happened() {
    let (store, (log, hook)) = (Memory::default(), log());
    store.world().now_ns = 77;
    let budget = builder(&store, "quota:max_tokens=8,cost=5").on_exchange(hook).build().unwrap();
    let retry = retry("constant:base=0s").shared_budget(&budget);
    assert_eq!(run(&retry, &[Outcome::Transient]).reason, StopReason::Success);
    assert_eq!(run(&retry, &[Outcome::Timeout; 2]).reason, StopReason::Budget);
    // The hook comes after the answer.
    eventually(|| log.lock().unwrap().len() == 3);
    let log = log.lock().unwrap();
    let shown: Vec<_> =
        log.iter().map(|at| (at.after.as_str(), at.stored, at.steps.len())).collect();
    let (yes, unchanged) = (SwapOutcome::Yes, SwapOutcome::Unchanged);
    let (first, second) = ("1 3 | 0 1 0", "3 3 | 0 1 0");
    assert_eq!(shown, [(first, yes, 3), (second, yes, 4), (second, unchanged, 2)]);
    let request = BudgetEvent::RetryRequested { outcome: Outcome::Timeout };
    let last = log[2].steps.last().unwrap();
    assert_eq!((last.event, last.count, last.granted), (request, 1, 0));
    assert_eq!((log[1].before.as_deref(), log[1].now_ns), (Some(first), 77));
    assert_eq!(store.calls(), (3, 2));
    assert!(budget.last_error().is_none());
}

#[test]
fn a_process_that_was_slower_loads_again() {
    let (store, (log, hook)) = (Memory::with_faults([Fault::Race("9 1".into())]), log());
    let budget = builder(&store, "quota:max_tokens=3,cost=1").on_exchange(hook).build().unwrap();
    let report = run(&retry("constant:base=0s").shared_budget(&budget), &[Outcome::Transient; 9]);
    // The other process left one token.
    assert_eq!((report.reason, report.attempts), (StopReason::Budget, 2));
    assert_eq!(store.calls(), (3, 2));
    assert!(budget.flush());
    let log = log.lock().unwrap();
    assert_eq!(log[0].before.as_deref(), Some("9 1"));
    assert_eq!((log[0].after.as_str(), log[0].steps.len()), ("10 0 | 0 1 0", 3));
}

#[test]
fn events_go_with_the_next_request_or_when_there_are_a_hundred() {
    let (store, (log, hook)) = (Memory::default(), log());
    let budget = builder(&store, "ratio:ratio=0.5").on_exchange(hook).build().unwrap();
    let retry = retry("constant:base=0s,max_retries=1").shared_budget(&budget);
    // Each success notes its beginning and its end.
    for _ in 0..49 {
        let _ = run(&retry, &[]);
    }
    assert_eq!(store.calls(), (0, 0));
    let _ = run(&retry, &[]);
    eventually(|| !log.lock().unwrap().is_empty());
    let _ = run(&retry, &[Outcome::Transient]);
    assert!(budget.flush());
    let counts = |exchange: &BudgetExchange| exchange.steps.iter().map(|step| step.count).collect();
    let counts: Vec<Vec<u64>> = log.lock().unwrap().iter().map(counts).collect();
    // 50 loops began and succeeded; one began and failed, and requested a retry; and succeeded.
    assert_eq!(counts, [vec![50, 50], vec![1, 1, 1], vec![1]]);
}

#[test]
fn a_budget_that_nobody_uses_drops_its_store() {
    for is_used in [false, true] {
        let store = Memory::default();
        let budget = shared(&store, "sre");
        if is_used {
            let _ = run(&retry("constant:base=0s").shared_budget(&budget), &[Outcome::Transient]);
        }
        assert_eq!(Arc::strong_count(&store.0), 2);
        drop(budget);
        eventually(|| Arc::strong_count(&store.0) == 1);
    }
}

struct Panics;

impl Wake for Panics {
    fn wake(self: Arc<Self>) {
        panic!("a waker");
    }
}

/// Uses the budget when it goes.
struct Uses(SharedBudget);

impl Wake for Uses {
    fn wake(self: Arc<Self>) {}
}

impl Drop for Uses {
    fn drop(&mut self) {
        assert!(self.0.last_error().is_none());
    }
}

/// A waker is code of a runtime, or of a test.
#[test]
fn wakers_may_panic_and_use_the_budget() {
    let (end, hangs) = channel::<()>();
    let store = Memory::with_faults([Fault::Hang(hangs)]);
    let budget = shared(&store, "quota:max_tokens=2,cost=1");
    let retry = retry("constant:base=0s").shared_budget(&budget).sleep(|_| std::future::ready(()));
    let plan = retry.when(|(): &()| true);
    let mut future = Box::pin(plan.call_async_with_report(async || Err::<(), _>(())));
    for waker in [Waker::from(Arc::new(Uses(budget.clone()))), Waker::from(Arc::new(Panics))] {
        assert!(future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    }
    drop(end);
    // The thread that talks to the store has woken the one that panics, and goes on.
    eventually(|| store.world().swaps == 1);
    let mut context = Context::from_waker(Waker::noop());
    eventually(move || match future.as_mut().poll(&mut context) {
        Poll::Pending => false,
        Poll::Ready(report) => {
            assert_eq!((report.reason, report.attempts), (StopReason::Budget, 3));
            true
        }
    });
}

/// SPEC 15.7, rule 12. A flush asks a store that is away, too.
#[test]
fn every_exchange_is_reported() {
    let (store, (log, hook)) = (Memory::default(), log());
    store.world().now_ns = 77;
    let budget = builder(&store, "quota:max_tokens=25,cost=5").on_exchange(hook).build().unwrap();
    let retry = retry("constant:base=0s").shared_budget(&budget);
    let put = |text: &str| {
        store.world().texts.insert(budget.key().to_owned(), text.to_owned());
    };
    let flush = || {
        assert_eq!(run(&retry, &[]).reason, StopReason::Success);
        budget.flush()
    };
    let mut ends = vec![flush()];
    store.world().faults.push_back(Fault::Load);
    ends.push(flush());
    put("hello");
    ends.push(flush());
    put("7 20 | 0 1 0");
    store.world().faults.push_back(Fault::Swap { is_made: true });
    ends.push(flush());
    // The steps of the last exchange may be stored, so they are forgotten.
    ends.push(flush());
    assert_eq!(ends, [true, false, false, false, true]);
    let log = log.lock().unwrap();
    let shown: Vec<_> = log
        .iter()
        .map(|BudgetExchange { before, now_ns, steps, after, stored, error, .. }| {
            let error = error.as_ref().map_or_else(String::new, ToString::to_string);
            (before.as_deref(), *now_ns, steps.len(), after.as_str(), *stored, error)
        })
        .collect();
    let no_state = "under the key \"backoff:test:quota:max_tokens=25\" the store has \"hello\", which is not \
                    the state of this budget";
    let row = |before, now_ns, steps, after, stored, error: &str| {
        (before, now_ns, steps, after, stored, error.to_owned())
    };
    let second = "10 23 | 0 1 0";
    assert_eq!(
        shown,
        [
            row(None, 77, 2, "0 25 | 0 1 0", SwapOutcome::Yes, ""),
            row(None, 0, 0, "", SwapOutcome::No, "the load failed"),
            row(Some("hello"), 77, 0, "", SwapOutcome::No, no_state),
            row(Some("7 20 | 0 1 0"), 77, 2, second, SwapOutcome::Unknown, "no answer to the swap"),
            row(Some(second), 77, 2, "11 24 | 0 1 0", SwapOutcome::Yes, ""),
        ]
    );
}

/// A flush whose thread wakes late does not get the result of the next exchange.
#[test]
fn each_flush_has_the_result_of_its_own_exchange() {
    for _ in 0..100 {
        let store = Memory::with_faults([Fault::Load]);
        let (failed, has_failed) = channel();
        let failed = Mutex::new(failed);
        let hook = move |_: &BudgetExchange| {
            let _ = failed.lock().unwrap().send(());
        };
        let budget = builder(&store, "ratio").on_exchange(hook).build().unwrap();
        let retry = retry("constant:base=0s").shared_budget(&budget);
        let _ = run(&retry, &[]);
        let first = std::thread::spawn({
            let budget = budget.clone();
            move || budget.flush()
        });
        has_failed.recv().unwrap();
        let _ = run(&retry, &[]);
        assert!(budget.flush());
        assert!(!first.join().unwrap());
    }
}

/// A hook that takes long is not taken for a store that does.
#[test]
fn a_slow_hook_is_named() {
    let (end, is_over) = channel::<()>();
    let is_over = Mutex::new(is_over);
    let hook = move |_: &BudgetExchange| {
        let _ = is_over.lock().unwrap().recv();
    };
    let budget = SharedBudget::builder(Memory::default(), "test", "quota:max_tokens=25")
        .timeout(Duration::from_millis(20))
        .on_exchange(hook)
        .build()
        .unwrap();
    let _ = run(&retry("constant:base=0s").shared_budget(&budget), &[Outcome::Transient; 2]);
    let error = budget.last_error().unwrap().to_string();
    assert_eq!(error, "the hook did not return within 20ms");
    drop(end);
}

/// Code of the caller that panics again when what it panicked with is dropped, and errors that use the
/// budget when they are dropped.
#[test]
fn drops_end_nothing() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("again");
        }
    }
    #[derive(Debug)]
    struct UsesBudget(Arc<Mutex<Option<SharedBudget>>>);
    impl std::fmt::Display for UsesBudget {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("away")
        }
    }
    impl std::error::Error for UsesBudget {}
    impl Drop for UsesBudget {
        fn drop(&mut self) {
            let budget = self.0.lock().unwrap().clone();
            assert!(budget.is_none_or(|budget| budget.stats().exchanges > 0));
        }
    }
    struct Away(Arc<Mutex<Option<SharedBudget>>>);
    impl BudgetStore for Away {
        fn load(&mut self, _: &str) -> Result<Stored, StoreError> {
            Err(Box::new(UsesBudget(Arc::clone(&self.0))))
        }
        fn compare_and_swap(
            &mut self,
            _: &str,
            _: Option<&str>,
            _: &str,
        ) -> Result<bool, StoreError> {
            unreachable!("nothing was loaded")
        }
    }
    let known = Arc::default();
    let budget = SharedBudget::builder(Away(Arc::clone(&known)), "test", "quota:max_tokens=25")
        .timeout(Duration::from_secs(60))
        .on_exchange(|_| std::panic::panic_any(Bomb))
        .build()
        .unwrap();
    *known.lock().unwrap() = Some(budget.clone());
    let retry = retry("constant:base=0s").shared_budget(&budget);
    for exchanges in 1..4 {
        let _ = run(&retry, &[]);
        assert!(!budget.flush());
        assert_eq!(budget.stats().failed_exchanges, exchanges);
    }
    known.lock().unwrap().take();
}

#[test]
fn a_lost_exchange_is_reported() {
    let other = |number| Fault::Race(format!("{number} 25 | 0 1 0"));
    let (store, (log, hook)) = (Memory::with_faults((0..10_000).map(other)), log());
    let budget = SharedBudget::builder(store, "test", "quota:max_tokens=25")
        .timeout(Duration::from_millis(1))
        .on_exchange(hook)
        .build()
        .unwrap();
    let _ = run(&retry("immediate:max_retries=1").shared_budget(&budget), &[Outcome::Transient; 2]);
    eventually(|| !log.lock().unwrap().is_empty());
    let log = log.lock().unwrap();
    let first = log.first().unwrap();
    assert_eq!((first.stored, first.steps.is_empty()), (SwapOutcome::Lost, false));
    let error = first.error.as_ref().unwrap().to_string();
    assert_eq!(error, "other processes changed the state in every try before the timeout");
}

/// Whoever flushes before the end of the process has seen all exchanges.
#[test]
fn a_flush_waits_for_the_hook() {
    let (flushing, is_flushing) = channel();
    let is_flushing = Mutex::new(is_flushing);
    let is_seen = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&is_seen);
    let hook = move |_: &BudgetExchange| {
        is_flushing.lock().unwrap().recv().unwrap();
        std::thread::sleep(Duration::from_millis(50));
        seen.store(true, Ordering::SeqCst);
    };
    let never = builder(&Memory::default(), "ttl:min_per_second=0,ratio=0");
    let budget = never.on_exchange(hook).build().unwrap();
    // The exchange refuses the retry before the hook returns, and then there is nothing to send.
    let report = run(&retry("constant:base=0s").shared_budget(&budget), &[Outcome::Transient]);
    assert_eq!(report.reason, StopReason::Budget);
    flushing.send(()).unwrap();
    assert!(budget.flush());
    assert!(is_seen.load(Ordering::SeqCst));
}
