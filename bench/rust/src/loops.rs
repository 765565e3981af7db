//! Loops of a function that fails a few times, with waits of zero.

use std::cell::{Cell, LazyCell};
use std::hint::black_box;
use std::time::Duration;

use backoff_core::Policy;
use backoff_retry::Retry;
use backon::{BlockingRetryable as _, ConstantBuilder, Retryable as _};
use tokio::runtime::{Builder, Runtime};

pub const ENTRIES: &[(&str, &str, fn(u64))] = &[
    ("loop, success at once", "ours", |times| ours(times, 0)),
    ("loop, success at once", "the call", the_call),
    ("loop, success at once", "backon", |times| backon(times, 0)),
    ("loop, one failure", "ours", |times| ours(times, 1)),
    ("loop, one failure", "backon", |times| backon(times, 1)),
    ("loop, two failures", "ours", |times| ours(times, 2)),
    ("loop, two failures", "backon", |times| backon(times, 2)),
    ("1000 loops", "ours", |times| thousand(times, ours_async)),
    ("1000 loops", "backon", |times| thousand(times, backon_async)),
    ("1000 loops", "tokio-retry", |times| thousand(times, tokio_retry_async)),
];

const RETRIES: usize = 5;

/// Fails the given number of times.
struct Job(Cell<u32>);

impl Job {
    fn new(failures: u32) -> Self {
        Self(Cell::new(failures))
    }

    #[inline(never)]
    fn call(&self) -> Result<u32, u32> {
        match self.0.get() {
            0 => Ok(7),
            left => {
                self.0.set(left - 1);
                Err(left)
            }
        }
    }
}

fn retry() -> Retry<'static> {
    Retry::new(Policy::parse("constant:base=0s,max_retries=5").expect("a policy"))
}

fn ours(times: u64, failures: u32) {
    let retry = retry().sleep(|_| {});
    for _ in 0..times {
        let job = Job::new(black_box(failures));
        let _ = black_box(retry.when(|_: &u32| true).call(|| job.call()));
    }
}

fn the_call(times: u64) {
    for _ in 0..times {
        let _ = black_box(Job::new(black_box(0)).call());
    }
}

fn at_once() -> ConstantBuilder {
    ConstantBuilder::new().with_delay(Duration::ZERO).with_max_times(RETRIES)
}

fn backon(times: u64, failures: u32) {
    for _ in 0..times {
        let job = Job::new(black_box(failures));
        let _ = black_box((|| job.call()).retry(at_once()).sleep(|_| {}).call());
    }
}

async fn ours_async() -> Result<u32, u32> {
    thread_local! {
        static RETRY: LazyCell<Retry<'static>> = LazyCell::new(retry);
    }
    let job = Job::new(2);
    RETRY.with(|retry| retry.when(|_: &u32| true)).call_async(async || job.call()).await
}

async fn backon_async() -> Result<u32, u32> {
    let job = Job::new(2);
    (async || job.call()).retry(at_once()).await
}

async fn tokio_retry_async() -> Result<u32, u32> {
    let job = Job::new(2);
    let delays = std::iter::repeat_n(Duration::ZERO, RETRIES);
    tokio_retry::Retry::start(delays, async || job.call()).await
}

/// In the paused time of tokio, where all use their own sleep and nobody waits.
fn thousand<F: Future<Output = Result<u32, u32>> + 'static>(times: u64, task: fn() -> F) {
    thread_local! {
        static RUNTIME: LazyCell<Runtime> = LazyCell::new(|| {
            Builder::new_current_thread().enable_time().start_paused(true).build().expect("tokio")
        });
    }
    RUNTIME.with(|runtime| {
        for _ in 0..times {
            let tasks = tokio::task::LocalSet::new();
            for _ in 0..1000 {
                tasks.spawn_local(task());
            }
            runtime.block_on(tasks);
        }
    });
}

/// Every loop ends with the value.
pub fn check() {
    for failures in 0..3 {
        let job = Job::new(failures);
        assert_eq!(retry().when(|_: &u32| true).call(|| job.call()), Ok(7));
    }
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.expect("tokio");
    assert_eq!(runtime.block_on(ours_async()), Ok(7));
    assert_eq!(runtime.block_on(backon_async()), Ok(7));
    assert_eq!(runtime.block_on(tokio_retry_async()), Ok(7));
}
