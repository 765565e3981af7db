//! Loops that are given up: before, during a call, during a wait, 1,000 times at random moments.

use std::cell::Cell;
use std::future::pending;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

use backoff_retry::{Budget, History, Report, Retry, StopReason, Stream};
use tokio::time::{self, sleep};

use crate::support::{Fault, Seen, Time, retry, seconds, verdict};

#[test]
fn a_future_that_is_dropped_says_so_once() {
    // How often it is polled, the events, and the attempts that the history counts. Every call
    // is pending once, and every wait is.
    let table: [(usize, &[&str]); 4] = [
        (0, &["stop 0: none, cancelled, 0ns after 0ns: None"]),
        (1, &["stop 1: none, cancelled, 0ns after 7s: None"]),
        (
            2,
            &[
                "retry 1: transient, 1s after 0ns: Err(Soft)",
                "stop 1: none, cancelled, 0ns after 7s: Some(Err(Soft))",
            ],
        ),
        (
            3,
            &[
                "retry 1: transient, 1s after 0ns: Err(Soft)",
                "stop 2: none, cancelled, 0ns after 7s: None",
            ],
        ),
    ];
    for (polls, events) in table {
        let (time, seen, history) = (Time::default(), Seen::default(), History::new());
        let budget = Budget::parse("concurrent").unwrap();
        time.pass(seconds(100));
        let future = retry("constant:base=1s")
            .clock(time.clock())
            .sleep(|_| tokio::task::yield_now())
            .budget(&budget)
            .history(&history)
            .when(verdict)
            .on_retry(|event| seen.retry(event))
            .on_stop(|event| seen.stop(event))
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
        let idle = Budget::parse("concurrent").unwrap().to_words();
        let told: u64 = budget.to_words().iter().zip(idle).map(|(now, then)| now - then).sum();
        assert_eq!(told, active + retrying, "an operation begins with the first poll");
        time.pass(seconds(7));
        drop(future);

        assert_eq!(seen.lines(), events);
        assert_eq!(budget.to_words(), idle);
        assert_eq!(history.operations(), 1);
        assert_eq!(history.stopped(StopReason::Cancelled), 1);
        assert_eq!(history.attempts(), (polls as u64).div_ceil(2).max(1));
    }
}

/// Counts itself while it lives.
struct Alive(Arc<AtomicUsize>);

impl Alive {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count.clone())
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What many loops share, and what they must leave as it was.
struct Shared {
    budget: Arc<Budget>,
    history: Arc<History>,
    alive: Arc<AtomicUsize>,
    stops: Arc<AtomicUsize>,
}

impl Shared {
    fn new() -> Self {
        Self {
            budget: Arc::new(Budget::parse("concurrent:min_concurrent=1000").unwrap()),
            history: Arc::default(),
            alive: Arc::default(),
            stops: Arc::default(),
        }
    }

    /// A loop that never ends by itself: calls and waits of some milliseconds.
    fn endless(&self, seed: u64) -> impl Future<Output = Result<(), Fault>> + Send + use<> {
        let (alive, stops) = (self.alive.clone(), self.stops.clone());
        let going = Alive::new(&self.alive);
        Retry::new("equal:base=5ms,cap=5ms".parse().unwrap())
            .stream(Stream::from_seed(seed))
            .budget(&self.budget)
            .history(&self.history)
            .when(verdict)
            .on_stop(move |event| {
                assert_eq!(event.reason, Some(StopReason::Cancelled));
                let _ = &going;
                stops.fetch_add(1, Ordering::Relaxed);
            })
            .call_async(move || {
                let call = Alive::new(&alive);
                async move {
                    let _call = call;
                    sleep(Duration::from_millis(3)).await;
                    Err(Fault::Soft)
                }
            })
    }

    /// After so many loops were given up.
    fn assert_idle(&self, loops: u64) {
        assert_eq!(self.alive.load(Ordering::Relaxed), 0, "calls, hooks");
        assert_eq!(self.stops.load(Ordering::Relaxed) as u64, loops);
        assert_eq!(self.history.operations(), loops);
        assert_eq!(self.history.stopped(StopReason::Cancelled), loops);
        let idle = Budget::parse("concurrent:min_concurrent=1000").unwrap();
        assert_eq!(self.budget.to_words(), idle.to_words());
        assert_eq!((Arc::strong_count(&self.budget), Arc::strong_count(&self.history)), (1, 1));
        assert_eq!(Arc::strong_count(&self.alive), 1);
    }
}

/// A moment of the first 40 ms, in microseconds.
fn moment(index: u32) -> Duration {
    Duration::from_micros(Stream::from_seed(5).draw(index) % 40_000)
}

const LOOPS: u32 = 1000;

#[tokio::test(start_paused = true)]
async fn given_up_at_random_moments_of_a_clock_that_is_handed_in() {
    let shared = Shared::new();
    for index in 0..LOOPS {
        let begun = time::Instant::now();
        let ended = time::timeout(moment(index), shared.endless(index.into())).await;
        assert!(ended.is_err());
        assert!(begun.elapsed() < moment(index) + Duration::from_millis(2), "prompt");
        shared.assert_idle(u64::from(index) + 1);
    }
    assert!(shared.history.retries() > LOOPS.into(), "some were in their later attempts");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn given_up_at_random_moments_from_another_thread() {
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
        assert!(task.await.unwrap() < seconds(2), "prompt");
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

#[test]
fn a_blocking_sleep_may_give_the_loop_up() {
    for last in 1..=3_u64 {
        let (time, seen, history) = (Time::default(), Seen::default(), History::new());
        let budget = Budget::parse("concurrent").unwrap();
        let report = retry("constant:base=1s")
            .clock(time.clock())
            .sleep(|delay| {
                time.wait(delay);
                let gives_up = time.waits().len() as u64 == last;
                if gives_up { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
            .budget(&budget)
            .history(&history)
            .when(verdict)
            .on_stop(|event| seen.stop(event))
            .run(|| Err::<(), _>(Fault::Busy));
        assert_eq!(report.result, Err(Fault::Busy), "the last error is not lost");
        assert_eq!((report.reason, report.attempts), (StopReason::Cancelled, last));
        assert_eq!((report.delay, report.elapsed), (Duration::ZERO, seconds(last)));
        let stop = format!("stop {last}: none, cancelled, 0ns after {last}s: Some(Err(Busy))");
        assert_eq!(seen.lines(), [stop]);
        assert_eq!((history.attempts(), history.stopped(StopReason::Cancelled)), (last, 1));
        assert_eq!(budget.to_words(), Budget::parse("concurrent").unwrap().to_words());
    }
}

/// A loop whose calls take a second and fail, and whose caller gives up, or panics, at one of the
/// questions: the calls, unless there is no report, what the hooks saw, and the waits.
fn asked(question: u32, panics: bool) -> (Option<u64>, Vec<String>, usize) {
    let (time, seen, history) = (Time::default(), Seen::default(), History::new());
    let idle = Budget::parse("concurrent").unwrap().to_words();
    let budget = Budget::parse("concurrent").unwrap();
    let plan = retry("constant:base=3s")
        .clock(time.clock())
        .sleep(time.sleep())
        .budget(&budget)
        .history(&history)
        .when(verdict)
        .on_retry(|event| seen.retry(event))
        .on_stop(|event| {
            assert_eq!(budget.to_words(), idle, "cancelled before its end is told");
            seen.stop(event);
        });
    let mut questions = 0;
    let cancelled = || {
        questions += 1;
        assert!(!panics || questions < question);
        questions == question
    };
    let call = || {
        time.pass(seconds(1));
        Err(Fault::Soft)
    };
    let ended = catch_unwind(AssertUnwindSafe(|| plan.run_until(cancelled, call)));
    assert_eq!(ended.is_err(), panics);
    assert_eq!(budget.to_words(), idle);
    assert_eq!(history.stopped(StopReason::Cancelled), 1);
    let report: Option<Report<Result<(), Fault>>> = ended.unwrap_or_default();
    (report.map(|report| report.attempts), seen.lines(), time.waits().len())
}

#[test]
fn a_blocking_loop_asks_whether_it_is_given_up() {
    let retry = "retry 1: transient, 3s after 1s: Err(Soft)";
    // Before the first call, after it, before the wait, before the next call, after that.
    let table: [(&[&str], Option<u64>, usize); 5] = [
        (&["stop 0: none, cancelled, 0ns after 0ns: None"], None, 0),
        (&["stop 1: none, cancelled, 0ns after 1s: Some(Err(Soft))"], Some(1), 0),
        (&[retry, "stop 1: none, cancelled, 0ns after 1s: Some(Err(Soft))"], Some(1), 0),
        (&[retry, "stop 1: none, cancelled, 0ns after 4s: Some(Err(Soft))"], Some(1), 1),
        (&[retry, "stop 2: none, cancelled, 0ns after 5s: Some(Err(Soft))"], Some(2), 1),
    ];
    for (question, (events, calls, waits)) in (1..).zip(table) {
        assert_eq!(
            asked(question, false),
            (calls, events.iter().map(|&line| line.into()).collect(), waits)
        );
        let (_, seen, _) = asked(question, true);
        assert_eq!(seen, events[..events.len() - 1], "no hook is told of a panic");
    }
}

#[test]
fn what_ends_a_call_counts_as_it_ended() {
    for (result, reason) in
        [(Ok(7), StopReason::Success), (Err(Fault::Hard), StopReason::Cancelled)]
    {
        let given_up = Cell::new(false);
        let report = retry("constant:base=1h").when(verdict).run_until(
            || given_up.get(),
            || {
                given_up.set(true);
                result
            },
        );
        let report = report.unwrap();
        assert_eq!((report.reason, report.attempts, report.result), (reason, 1, result));
    }
}

#[test]
fn a_thread_that_waits_is_given_up_at_once() {
    let (stop, stopped) = mpsc::channel::<()>();
    let waits = std::thread::spawn(move || {
        retry("constant:base=1h")
            .sleep(|delay| match stopped.recv_timeout(delay) {
                Err(mpsc::RecvTimeoutError::Timeout) => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            })
            .when(verdict)
            .run(|| Err::<(), _>(Fault::Soft))
    });
    stop.send(()).unwrap();
    let report = waits.join().unwrap();
    assert_eq!(report.reason, StopReason::Cancelled);
    assert!(report.elapsed < seconds(60));
}

#[tokio::test]
async fn what_never_returns_is_given_up_too() {
    let seen = Seen::default();
    let call = retry("constant:base=1s")
        .when(|()| true)
        .on_stop(|event| seen.note(format!("{:?} after {}", event.reason, event.attempts)))
        .call_async(pending::<Result<(), ()>>);
    assert!(time::timeout(Duration::from_millis(5), call).await.is_err());
    assert_eq!(seen.lines(), ["Some(Cancelled) after 1"]);
}
