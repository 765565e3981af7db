//! Blocking loops that their caller cancels.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::Duration;

use backoff_retry::{
    Budget, CancelOnDrop, Decision, Outcome, Policy, RandomStream, Report, RetryStats, StopReason,
};

use crate::support::{Fault, Seen, Time, budget_state, retry, seconds, verdict};

#[test]
fn a_blocking_sleep_can_cancel_the_loop() {
    for last in 1..=3_u64 {
        let (time, seen, stats) = (Time::default(), Seen::default(), RetryStats::new());
        let budget = Budget::parse("concurrent").unwrap();
        let report = retry("constant:base=1s")
            .clock(time.clock())
            .sleep(|delay| {
                time.wait(delay);
                let cancels = time.waits().len() as u64 == last;
                if cancels { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
            .budget(&budget)
            .stats(&stats)
            .when(verdict)
            .on_stop(|event| seen.stop(event))
            .run(|| Err::<(), _>(Fault::Busy));
        assert_eq!(report.result, Err(Fault::Busy), "the result of the last call");
        assert_eq!((report.reason, report.attempts), (StopReason::Cancelled, last));
        assert_eq!((report.delay, report.elapsed), (Duration::ZERO, seconds(last)));
        let stop = format!("stop {last}: none, cancelled, 0ns after {last}s: Some(Err(Busy))");
        assert_eq!(seen.lines(), [stop]);
        assert_eq!((stats.attempts(), stats.stops(StopReason::Cancelled)), (last, 1));
        assert_eq!(budget_state(&budget), budget_state(&Budget::parse("concurrent").unwrap()));
    }
}

/// Runs a loop whose calls take a second and fail. The check with this number cancels it, or
/// panics. Returns the attempts if there is a report, the events, and the number of waits.
fn run_until_check(check: u32, panics: bool) -> (Option<u64>, Vec<String>, usize) {
    let (time, seen, stats) = (Time::default(), Seen::default(), RetryStats::new());
    let idle = budget_state(&Budget::parse("concurrent").unwrap());
    let budget = Budget::parse("concurrent").unwrap();
    let plan = retry("constant:base=3s")
        .clock(time.clock())
        .sleep(time.sleep())
        .budget(&budget)
        .stats(&stats)
        .when(verdict)
        .on_retry(|event| seen.retry(event))
        .on_stop(|event| {
            assert_eq!(budget_state(&budget), idle, "released before the hook runs");
            seen.stop(event);
        });
    let mut checks = 0;
    let cancelled = || {
        checks += 1;
        assert!(!panics || checks < check);
        checks == check
    };
    let call = || {
        time.pass(seconds(1));
        Err(Fault::Soft)
    };
    let ended = catch_unwind(AssertUnwindSafe(|| plan.run_until(cancelled, call)));
    assert_eq!(ended.is_err(), panics);
    assert_eq!(budget_state(&budget), idle);
    assert_eq!(stats.stops(StopReason::Cancelled), 1);
    let report: Option<Report<Result<(), Fault>>> = ended.unwrap_or_default();
    (report.map(|report| report.attempts), seen.lines(), time.waits().len())
}

#[test]
fn a_blocking_loop_checks_for_cancellation() {
    let retry = "retry 1: transient, 3s after 1s: Err(Soft)";
    // Before the first call, after it, before the wait, before the next call, after that.
    let table: [(&[&str], Option<u64>, usize); 5] = [
        (&["stop 0: none, cancelled, 0ns after 0ns: None"], None, 0),
        (&["stop 1: none, cancelled, 0ns after 1s: Some(Err(Soft))"], Some(1), 0),
        (&[retry, "stop 1: none, cancelled, 0ns after 1s: Some(Err(Soft))"], Some(1), 0),
        (&[retry, "stop 1: none, cancelled, 0ns after 4s: Some(Err(Soft))"], Some(1), 1),
        (&[retry, "stop 2: none, cancelled, 0ns after 5s: Some(Err(Soft))"], Some(2), 1),
    ];
    for (check, (events, calls, waits)) in (1..).zip(table) {
        assert_eq!(
            run_until_check(check, false),
            (calls, events.iter().map(|&line| line.into()).collect(), waits)
        );
        let (_, seen, _) = run_until_check(check, true);
        assert_eq!(seen, events[..events.len() - 1], "no hook runs after a panic");
    }
}

#[test]
fn a_cancellation_during_a_call_does_not_change_a_success() {
    for (result, reason) in
        [(Ok(7), StopReason::Success), (Err(Fault::Hard), StopReason::Cancelled)]
    {
        let cancelled = Cell::new(false);
        let report = retry("constant:base=1h").when(verdict).run_until(
            || cancelled.get(),
            || {
                cancelled.set(true);
                result
            },
        );
        let report = report.unwrap();
        assert_eq!((report.reason, report.attempts, report.result), (reason, 1, result));
    }
}

#[test]
fn a_waiting_thread_is_cancelled_at_once() {
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

#[test]
fn a_failure_during_whose_call_the_flag_was_set_is_reported_as_cancelled() {
    for (result, reason) in [
        (Err(Fault::Hard), StopReason::Cancelled),
        (Err(Fault::Soft), StopReason::Cancelled),
        (Ok(()), StopReason::Success),
    ] {
        let stop = Cell::new(false);
        let call = || {
            stop.set(true);
            result
        };
        let plan = retry("constant:base=1s").when(verdict);
        let report = plan.run_until(|| stop.get(), call).unwrap();
        assert_eq!((report.result, report.reason, report.attempts), (result, reason, 1));
    }
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
