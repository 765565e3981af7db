//! Futures that are dropped: before the first poll, during a call, during a wait, and 1,000 times at
//! random moments.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

use backoff_retry::{Budget, RandomStream, Retry, RetryStats, StopReason};
use tokio::time::{self, sleep};

use crate::support::{Fault, budget_state, retry, seconds, verdict};

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
            .when(verdict)
            .on_stop(|_| assert_eq!(budget_state(&budget), idle, "released before the hook runs"))
            .call_async(async || {
                tokio::task::yield_now().await;
                Err::<(), _>(Fault::Soft)
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

/// The values that many loops share and must leave as they were.
struct Shared {
    budget: Arc<Budget>,
    stats: Arc<RetryStats>,
    /// Each call and each hook has a clone.
    alive: Arc<()>,
    stops: Arc<AtomicUsize>,
}

impl Shared {
    fn new() -> Self {
        Self {
            budget: Arc::new(Budget::parse("concurrent:min_concurrent=1000").unwrap()),
            stats: Arc::default(),
            alive: Arc::default(),
            stops: Arc::default(),
        }
    }

    /// A loop that never ends by itself: its calls and waits take some milliseconds.
    fn endless(&self, seed: u64) -> impl Future<Output = Result<(), Fault>> + Send + use<> {
        let (alive, stops) = (self.alive.clone(), self.stops.clone());
        let running = alive.clone();
        Retry::new("equal:base=5ms,cap=5ms".parse().unwrap())
            .stream(RandomStream::from_seed(seed))
            .budget(&self.budget)
            .stats(&self.stats)
            .when(verdict)
            .on_stop(move |event| {
                assert_eq!(event.reason, Some(StopReason::Cancelled));
                let _ = &running;
                stops.fetch_add(1, Ordering::Relaxed);
            })
            .call_async(move || {
                let call = alive.clone();
                async move {
                    sleep(Duration::from_millis(3)).await;
                    drop(call);
                    Err(Fault::Soft)
                }
            })
    }

    /// Asserts that nothing is left of this number of cancelled loops.
    fn assert_idle(&self, loops: u64) {
        assert_eq!(self.stops.load(Ordering::Relaxed) as u64, loops);
        assert_eq!(self.stats.operations(), loops);
        assert_eq!(self.stats.stops(StopReason::Cancelled), loops);
        let idle = Budget::parse("concurrent:min_concurrent=1000").unwrap();
        assert_eq!(budget_state(&self.budget), budget_state(&idle));
        assert_eq!((Arc::strong_count(&self.budget), Arc::strong_count(&self.stats)), (1, 1));
        assert_eq!(Arc::strong_count(&self.alive), 1, "calls, hooks");
    }
}

/// A random moment of the first 40 ms.
fn moment(index: u32) -> Duration {
    Duration::from_micros(RandomStream::from_seed(5).draw(index) % 40_000)
}

const LOOPS: u32 = 1000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelled_at_random_moments_from_another_thread() {
    let shared = Shared::new();
    let tasks: Vec<_> = (0..LOOPS)
        .map(|index| {
            let task = tokio::spawn(shared.endless(index.into()));
            tokio::spawn(async move {
                sleep(moment(index)).await;
                let begun = Instant::now();
                task.abort();
                assert!(task.await.unwrap_err().is_cancelled());
                begun.elapsed()
            })
        })
        .collect();
    for task in tasks {
        assert!(task.await.unwrap() < seconds(30), "prompt");
    }
    shared.assert_idle(LOOPS.into());
    let metrics = tokio::runtime::Handle::current().metrics();
    let no_task = async {
        while metrics.num_alive_tasks() > 0 {
            sleep(Duration::from_millis(1)).await;
        }
    };
    time::timeout(seconds(60), no_task).await.expect("no task is left");
}
