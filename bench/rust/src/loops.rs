//! Loops of a function that fails a few times. Unless the name of a work says otherwise, they wait for zero.

use std::cell::Cell;
use std::hint::black_box;
use std::time::Duration;

use backoff_core::Policy;
use backoff_retry::{BlockingSleep, Monotonic, Retry};
use backon::{BlockingRetryable as _, ConstantBuilder, ExponentialBuilder, Retryable as _};
use tokio::runtime::{Builder, Runtime};

pub const ENTRIES: &[(&str, &str, fn(u64))] = &[
    ("loop, success at once", "ours", |times| ours(times, 0)),
    ("loop, success at once", "the call", the_call),
    ("loop, success at once", "backon", |times| backon(times, 0)),
    ("loop, one failure", "ours", |times| ours(times, 1)),
    ("loop, one failure", "backon", |times| backon(times, 1)),
    ("loop, two failures", "ours", |times| ours(times, 2)),
    ("loop, two failures", "backon", |times| backon(times, 2)),
    ("loop, two failures, jitter", "ours", ours_with_jitter),
    ("loop, two failures, jitter", "backon", backon_with_jitter),
    ("loop, two failures, waits of 1 ms", "ours", ours_that_waits),
    ("loop, two failures, waits of 1 ms", "backon", backon_that_waits),
    ("1000 loops", "ours", |times| thousand(times, true, ours_async::<2, 0>)),
    ("1000 loops", "backon", |times| thousand(times, true, backon_async::<2, 0>)),
    ("1000 loops", "tokio-retry", |times| thousand(times, true, tokio_retry_async::<2, 0>)),
    ("1000 loops, success at once", "ours", |times| thousand(times, true, ours_async::<0, 0>)),
    ("1000 loops, success at once", "backon", |times| thousand(times, true, backon_async::<0, 0>)),
    ("1000 loops, success at once", "tokio-retry", |times| {
        thousand(times, true, tokio_retry_async::<0, 0>);
    }),
    ("1000 loops, waits of 1 ms", "ours", |times| thousand(times, false, ours_async::<2, 1>)),
    ("1000 loops, waits of 1 ms", "backon", |times| thousand(times, false, backon_async::<2, 1>)),
    ("1000 loops, waits of 1 ms", "tokio-retry", |times| {
        thousand(times, false, tokio_retry_async::<2, 1>);
    }),
];

const RETRIES: usize = 5;
const AT_ONCE: &str = "constant:base=0s,max_retries=5";
const OF_1_MS: &str = "constant:base=1ms,max_retries=5";
const JITTER: &str = "full:base=100ms,cap=20s,max_retries=5";

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

fn retry(policy: &str) -> Retry<'static> {
    Retry::new(Policy::parse(policy).expect("a policy"))
}

fn ours(times: u64, failures: u32) {
    ours_of(times, failures, &retry(AT_ONCE).sleep(|_| {}));
}

/// Draws, but does not wait.
fn ours_with_jitter(times: u64) {
    ours_of(times, 2, &retry(JITTER).sleep(|_| {}));
}

fn ours_that_waits(times: u64) {
    ours_of(times, 2, &retry(OF_1_MS));
}

fn ours_of(times: u64, failures: u32, retry: &Retry<'_, Monotonic, impl BlockingSleep + Clone>) {
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

fn of_ms(wait: u64) -> ConstantBuilder {
    ConstantBuilder::new().with_delay(Duration::from_millis(wait)).with_max_times(RETRIES)
}

fn backon(times: u64, failures: u32) {
    for _ in 0..times {
        let job = Job::new(black_box(failures));
        let _ = black_box((|| job.call()).retry(of_ms(0)).sleep(|_| {}).call());
    }
}

fn backon_with_jitter(times: u64) {
    let exponential = ExponentialBuilder::new()
        .with_jitter()
        .with_min_delay(Duration::from_millis(100))
        .with_max_delay(Duration::from_secs(20))
        .with_max_times(RETRIES);
    for _ in 0..times {
        let job = Job::new(black_box(2));
        let _ = black_box((|| job.call()).retry(exponential).sleep(|_| {}).call());
    }
}

fn backon_that_waits(times: u64) {
    for _ in 0..times {
        let job = Job::new(black_box(2));
        let _ = black_box((|| job.call()).retry(of_ms(1)).call());
    }
}

async fn ours_async<const FAILURES: u32, const WAIT_MS: u64>() -> Result<u32, u32> {
    thread_local! {
        static RETRY: [Retry<'static>; 2] = [AT_ONCE, OF_1_MS].map(retry);
    }
    let job = Job::new(FAILURES);
    let plan = RETRY.with(|retry| retry[WAIT_MS as usize].when(|_: &u32| true));
    plan.call_async(async || job.call()).await
}

async fn backon_async<const FAILURES: u32, const WAIT_MS: u64>() -> Result<u32, u32> {
    let job = Job::new(FAILURES);
    (async || job.call()).retry(of_ms(WAIT_MS)).await
}

async fn tokio_retry_async<const FAILURES: u32, const WAIT_MS: u64>() -> Result<u32, u32> {
    let job = Job::new(FAILURES);
    let delays = std::iter::repeat_n(Duration::from_millis(WAIT_MS), RETRIES);
    tokio_retry::Retry::start(delays, async || job.call()).await
}

/// Runs 1000 loops at once, which use their own sleep.
fn thousand<F: Future<Output = Result<u32, u32>> + 'static>(
    times: u64,
    is_paused: bool,
    task: fn() -> F,
) {
    let runtime = runtime(is_paused);
    for _ in 0..times {
        let tasks = tokio::task::LocalSet::new();
        for _ in 0..1000 {
            tasks.spawn_local(task());
        }
        runtime.block_on(tasks);
    }
}

/// In the paused time of tokio nobody waits.
fn runtime(is_paused: bool) -> Runtime {
    let mut builder = Builder::new_current_thread();
    builder.enable_time().start_paused(is_paused).build().expect("tokio")
}

/// Every loop ends with the value.
pub fn check() {
    for failures in 0..3 {
        let job = Job::new(failures);
        assert_eq!(retry(AT_ONCE).when(|_: &u32| true).call(|| job.call()), Ok(7));
    }
    let runtime = runtime(true);
    assert_eq!(runtime.block_on(ours_async::<2, 1>()), Ok(7));
    assert_eq!(runtime.block_on(backon_async::<2, 1>()), Ok(7));
    assert_eq!(runtime.block_on(tokio_retry_async::<2, 1>()), Ok(7));
}
