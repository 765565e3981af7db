//! Futures that are dropped: before the first poll, during a call, during a wait, and 1,000 times at
//! random moments.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Waker};
use std::time::Duration;

use backoff_retry::{Budget, RandomStream, Retry, RetryStats, StopReason};
use tokio::time::sleep;

use crate::support::{budget_state, retry};

#[test]
fn a_dropped_future_gives_back_what_it_held() {
    // Each call and each wait is pending once.
    for polls in 0..4 {
        let stats = RetryStats::new();
        let budget = Budget::parse("concurrent").unwrap();
        let idle = budget_state(&budget);
        let future = retry("constant:base=1s")
            .sleep(|_| tokio::task::yield_now())
            .budget(&budget)
            .stats(&stats)
            .when(|()| true)
            .on_stop(|_| assert_eq!(budget_state(&budget), idle, "released before the hook runs"))
            .call_async(async || {
                tokio::task::yield_now().await;
                Err::<(), _>(())
            });
        let mut future = Box::pin(future);
        for _ in 0..polls {
            assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        }
        let active = u64::from(polls > 0);
        let retrying = u64::from(polls > 1);
        let held: u64 = budget_state(&budget).iter().zip(idle).map(|(now, then)| now - then).sum();
        assert_eq!(held, active + retrying, "an operation begins with the first poll");
        drop(future);
        assert_eq!(budget_state(&budget), idle);
        assert_eq!(stats.stops(StopReason::Cancelled), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelled_at_random_moments_from_another_thread() {
    const LOOPS: u32 = 1000;
    let idle = || Budget::parse("concurrent:min_concurrent=1000").unwrap();
    let (budget, stats) = (Arc::new(idle()), Arc::<RetryStats>::default());
    // Each call and each hook has a clone.
    let stops = Arc::<AtomicU32>::default();
    // It never ends by itself: its calls and waits take some milliseconds.
    let endless = |seed| {
        let (call, hook) = (stops.clone(), stops.clone());
        Retry::new("equal:base=5ms,cap=5ms".parse().unwrap())
            .stream(RandomStream::from_seed(seed))
            .budget(&budget)
            .stats(&stats)
            .when(|()| true)
            .on_stop(move |event| {
                assert_eq!(event.reason, Some(StopReason::Cancelled));
                hook.fetch_add(1, Ordering::Relaxed);
            })
            .call_async(move || {
                let held = call.clone();
                async move {
                    sleep(Duration::from_millis(3)).await;
                    drop(held);
                    Err::<(), _>(())
                }
            })
    };
    let cancel = |index| {
        let task = tokio::spawn(endless(u64::from(index)));
        // Within the first 40 ms.
        let moment = Duration::from_micros(RandomStream::from_seed(5).draw(index) % 40_000);
        tokio::spawn(async move {
            sleep(moment).await;
            task.abort();
            task.await.unwrap_err().is_cancelled()
        })
    };
    for task in (0..LOOPS).map(cancel).collect::<Vec<_>>() {
        assert!(task.await.unwrap());
    }
    assert_eq!((stops.load(Ordering::Relaxed), stats.operations()), (LOOPS, LOOPS.into()));
    assert_eq!(budget_state(&budget), budget_state(&idle()));
    let counts = [Arc::strong_count(&budget), Arc::strong_count(&stats), Arc::strong_count(&stops)];
    assert_eq!(counts, [1; 3]);
}
