//! What a call knows about its attempt, and how long it may take.

use std::cell::{Cell, RefCell};
use std::future::{pending, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::time::Duration;

use backoff_retry::{Attempt, Outcome, Policy, PolicyBuilder, RandomStream, Retry, StopReason};
use tokio::time::{Instant, sleep};

use crate::support::{Seen, Time, at_once, poll_once, retry, seconds};

type Called = Result<u8, String>;

#[test]
fn a_call_knows_its_number_its_last_error_and_its_time() {
    let (time, seen) = (Time::default(), RefCell::new(Vec::new()));
    let retry = retry("constant:base=10s,max_retries=3,max_elapsed=25s,attempt_timeout=20s")
        .clock(|| time.now())
        .sleep(|delay| time.wait(delay));
    let call = |attempt: Attempt<Called>| {
        time.wait(seconds(1));
        seen.borrow_mut().push((attempt.number, attempt.last_error().cloned(), attempt.time_left));
        Err(format!("error {}", attempt.number))
    };
    let plan = retry.when(|_: &String| true);
    assert_eq!(plan.clone().call_with_attempt(call), Err("error 3".into()));
    let first = (1, None, Some(seconds(20)));
    let second = (2, Some("error 1".into()), Some(seconds(14)));
    let third = (3, Some("error 2".into()), Some(seconds(3)));
    assert_eq!(seen.take(), [first, second, third]);

    let call = |attempt: Attempt<Called>| ready(Ok(u8::try_from(attempt.number).unwrap()));
    let sleep = |_| ready(());
    assert_eq!(at_once(retry.sleep(sleep).when(|_| true).call_async_with_attempt(call)), Ok(1));
}

#[test]
fn without_a_limit_a_call_has_no_time_left_and_no_clock_is_read() {
    let retry = retry("constant:base=0s,max_retries=1").clock(|| unreachable!()).sleep(|_| {});
    let call = |attempt: Attempt<Called>| match attempt {
        Attempt { number: 1, last: None, time_left: None, .. } => Err("busy".into()),
        Attempt { number: 2, last: Some(Err(_)), time_left: None, .. } => Ok(7),
        _ => unreachable!(),
    };
    assert_eq!(retry.when(|_: &String| true).call_with_attempt(call), Ok(7));
}

/// Retries with the clock and the timer of tokio.
fn paused(
    policy: &str,
) -> Retry<'static, impl Fn() -> Duration + Clone, fn(Duration) -> tokio::time::Sleep> {
    let begun = Instant::now();
    retry(policy).clock(move || begun.elapsed()).sleep(sleep as fn(Duration) -> _)
}

/// A call that never returns, and says when it is dropped.
struct Dropped<'a>(&'a Seen);

impl Drop for Dropped<'_> {
    fn drop(&mut self) {
        self.0.note("dropped");
    }
}

#[tokio::test(start_paused = true)]
async fn an_async_loop_ends_an_attempt_at_its_limit() {
    let (begun, seen) = (Instant::now(), Seen::default());
    let plan = paused("constant:base=10s,max_retries=2,attempt_timeout=3s,max_elapsed=28s")
        .when(|_: &String| -> Outcome { panic!("a timeout is not classified") })
        .timed_out(|timeout| Err(timeout.to_string()));
    let outcomes = RefCell::new(Vec::new());
    let plan = plan
        .on_retry(|event| {
            seen.retry(event);
            outcomes.borrow_mut().push(event.outcome);
        })
        .on_stop(|event| seen.stop(event));
    let report = plan
        .call_async_with_report(|| async {
            let _dropped = Dropped(&seen);
            pending::<Called>().await
        })
        .await;
    // The calls begin after 0, 13 and 26 s; the last one has 2 s until `max_elapsed` ends.
    assert_eq!((report.attempts, report.reason), (3, StopReason::MaxRetries));
    assert_eq!(report.result, Err("the attempt took longer than 2s".into()));
    assert_eq!((report.elapsed, begun.elapsed()), (seconds(28), seconds(28)));
    assert_eq!(outcomes.take(), [Some(Outcome::Timeout); 2]);
    let timed_out = r#"Err("the attempt took longer than"#;
    let lines = [
        "dropped".into(),
        format!("retry 1: Some({timed_out} 3s\")), None"),
        "dropped".into(),
        format!("retry 2: Some({timed_out} 3s\")), None"),
        "dropped".into(),
        format!("stop 3: Some({timed_out} 2s\")), Some(MaxRetries)"),
    ];
    assert_eq!(seen.lines(), lines);
}

/// As it is when the thread was busy: both are ready.
#[test]
fn a_call_that_returns_is_not_timed_out_even_if_it_is_late() {
    let time = Rc::new(Time::default());
    let retry = Retry::with_stream(
        Policy::parse("off:attempt_timeout=3s").unwrap(),
        RandomStream::from_seed(1),
    )
    .sleep(|_| ready(()));
    let plan = retry.when(|_: &String| true).timed_out(|_| unreachable!());
    assert_eq!(
        at_once(plan.call_async(|| {
            time.wait(seconds(5));
            ready(Ok(7))
        })),
        Ok(7)
    );
}

#[tokio::test(start_paused = true)]
async fn a_deadline_that_has_passed_does_not_count() {
    let plan = paused("off:attempt_timeout=3s").when(|_: &String| true);
    tokio::time::advance(seconds(10)).await;
    let plan = plan.deadline_at(seconds(5)).timed_out(|timeout| Err(timeout.to_string()));
    let result = plan.call_async(pending::<Called>).await;
    assert_eq!(result, Err("the attempt took longer than 3s".into()));
}

#[test]
fn an_async_loop_that_cannot_end_an_attempt_tells_its_limit() {
    let plan = retry("off:attempt_timeout=3s").sleep(|_| ready(())).when(|_: &String| true);
    assert_eq!(at_once(plan.clone().call_async(|| ready(Ok(7)))), Ok(7));
    let call = |attempt: Attempt<Called>| {
        assert_eq!(attempt.time_left, Some(seconds(3)));
        ready(Ok(7))
    };
    assert_eq!(at_once(plan.call_async_with_attempt(call)), Ok(7));
}

/// As after a panic of the sleep between calls: no hook runs.
#[test]
fn a_panic_of_the_timer_ends_the_loop_without_a_hook() {
    let plan = retry("off:attempt_timeout=3s")
        .sleep(|_| -> std::future::Ready<()> { panic!("no timer") })
        .when(|_: &String| true)
        .timed_out(|_| unreachable!())
        .on_stop(|_| unreachable!());
    let future = plan.call_async(|| ready(Ok(7)));
    assert!(catch_unwind(AssertUnwindSafe(|| poll_once(future))).is_err());
}

#[tokio::test(start_paused = true)]
async fn a_closure_may_lend_what_it_captures() {
    struct Connection(u8);
    impl Connection {
        async fn query(&mut self) -> Called {
            sleep(seconds(1)).await;
            self.0 += 1;
            if self.0 < 3 { Err("busy".into()) } else { Ok(self.0) }
        }
    }
    let mut connection = Connection(0);
    let plan = paused("constant:base=1s").when(|_: &String| true);
    assert_eq!(plan.call_async_mut(async || connection.query().await).await, Ok(3));
    assert_eq!(connection.0, 3);
}

/// In every form but that whose call gets it.
#[test]
fn the_last_result_is_dropped_before_the_next_call() {
    let (results, calls) = (Rc::new(()), Cell::new(0));
    let result = || {
        calls.set(calls.get() + 1);
        assert_eq!(Rc::strong_count(&results), 1);
        if calls.get() < 3 { Err(Rc::clone(&results)) } else { Ok(()) }
    };
    let retry = retry("constant:base=0s").sleep(|_| {});
    assert_eq!(retry.when(|_: &Rc<()>| true).call(result), Ok(()));
    let retry = retry.sleep(|_| ready(()));
    calls.set(0);
    assert_eq!(at_once(retry.when(|_: &Rc<()>| true).call_async(|| ready(result()))), Ok(()));
    calls.set(0);
    assert_eq!(at_once(retry.when(|_: &Rc<()>| true).call_async_mut(async || result())), Ok(()));
}

/// Two failures at once, then an attempt that runs for an hour, then two more.
#[test]
fn an_attempt_that_ran_for_long_begins_the_count_anew() {
    let (time, calls) = (Time::default(), Cell::new(0));
    let retry = retry("linear:base=1s,max_retries=2,reset_after=1h")
        .clock(|| time.now())
        .sleep(|delay| time.wait(delay));
    let call = || {
        calls.set(calls.get() + 1);
        if calls.get() == 3 {
            time.wait(seconds(3600));
        }
        Err::<u8, _>("closed")
    };
    // A loop without a report reads the clock as well.
    let _ = retry.when(|_: &&str| true).call(call);
    assert_eq!((calls.get(), time.waits()), (5, [1, 2, 3600, 1, 2].map(seconds).into()));

    calls.set(0);
    let begun = time.now();
    let report = retry.when(|_: &&str| true).call_with_report(call);
    assert_eq!((report.attempts, report.reason), (5, StopReason::MaxRetries));
    assert_eq!(begun + report.elapsed, time.now());
}

#[test]
fn own_delays_begin_anew_with_the_count_and_end_with_the_list() {
    let (time, calls) = (Time::default(), Cell::new(0));
    let retry = retry("constant:base=9s,reset_after=1h,floor=5s,max_retries=7")
        .clock(|| time.now())
        .sleep(|delay| time.wait(delay));
    let call = || {
        calls.set(calls.get() + 1);
        if calls.get() == 2 {
            time.wait(seconds(3600));
        }
        Err::<u8, _>("closed")
    };
    let report = retry.when(|_: &&str| true).delays([1, 2].map(seconds)).call_with_report(call);
    assert_eq!((report.reason, report.attempts), (StopReason::MaxRetries, 4));
    assert_eq!(time.waits(), [1, 3600, 1, 2].map(seconds));
}

#[test]
fn a_function_is_asked_for_no_delay_that_nobody_waits() {
    let asked = RefCell::new(Vec::new());
    let retry = retry("constant:base=9s,max_retries=2").sleep(|_| {});
    let plan = retry.when(|error: &&str| *error == "busy").delays_with(|index, _| {
        asked.borrow_mut().push(index);
        None
    });
    let _ = plan.clone().call(|| Err::<u8, _>("busy"));
    let _ = plan.clone().call(|| Err::<u8, _>("no"));
    let _ = plan.call(|| Ok(7));
    assert_eq!(asked.take(), [0, 1]);
}

#[test]
fn a_list_of_delays_does_not_raise_the_limit_of_the_policy() {
    let time = Time::default();
    let retry = retry("constant:base=9s,max_retries=1").sleep(|delay| time.wait(delay));
    let _ = retry.when(|_: &&str| true).delays([1, 2].map(seconds)).call(|| Err::<u8, _>("busy"));
    assert_eq!(time.waits(), [seconds(1)]);
    let plan = retry.when(|_: &&str| true).delays([]);
    assert_eq!(plan.call_with_report(|| Err::<u8, _>("busy")).attempts, 1);
}

#[test]
fn endless_delays_are_read_as_far_as_the_loop_needs_them() {
    let read = Cell::new(0);
    let endless = || std::iter::repeat_with(|| (read.set(read.get() + 1), seconds(7)).1);
    let time = Time::default();
    let retry = retry("constant:base=9s,max_elapsed=15s").clock(|| time.now());
    let plan = retry.sleep(|delay| time.wait(delay)).when(|_: &&str| true).delays(endless());
    let report = plan.call_with_report(|| Err::<u8, _>("busy"));
    assert_eq!((report.reason, report.attempts), (StopReason::MaxElapsed, 3));
    assert_eq!((time.waits(), read.get()), (vec![seconds(7); 2], 3));
}

/// 18.9: the preset `default` limits nobody who gives a list instead.
#[test]
fn a_list_without_a_policy_allows_as_many_retries_as_it_has_delays() {
    let attempts = |retry: Retry<'_>| {
        let plan = retry.sleep(|_| {}).when(|_: &&str| true).delays([1; 6].map(seconds));
        plan.call_with_report(|| Err::<u8, _>("busy")).attempts
    };
    let with = |change: fn(PolicyBuilder) -> PolicyBuilder| {
        attempts(Retry::default().policy_with(change).unwrap())
    };
    assert_eq!(attempts(Retry::default()), 7);
    assert_eq!(with(|policy| policy.cap(seconds(30))), 7);
    assert_eq!(with(|policy| policy.max_retries(3)), 4);
    assert_eq!(with(|policy| policy.max_attempts(2)), 2);
    assert_eq!(attempts(Retry::new(Policy::parse("default").unwrap())), 4);
}

#[test]
fn a_fallback_is_for_loops_that_gave_up() {
    let stop = Cell::new(false);
    let plan = retry("constant:base=0s,max_retries=1").when(|error: &&str| *error == "busy");
    let gave_up = plan.clone().call_with_report(|| Err("busy")).fallback(|_| Ok(1));
    let permanent = plan.clone().call_with_report(|| Err("no")).fallback(|_| Ok(2));
    let success = plan.clone().call_with_report(|| Ok(3)).fallback(|_| unreachable!());
    assert_eq!((gave_up, permanent, success), (Ok(1), Ok(2), Ok(3)));
    let call = || {
        stop.set(true);
        Err::<u8, _>("busy")
    };
    let cancelled = plan.call_until(|| stop.get(), call).unwrap().fallback(|_| unreachable!());
    assert_eq!(cancelled, Err("busy"));
}
