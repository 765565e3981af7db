//! What panics: a hook, a classification, a clock, a sleep, the function.

use std::future::ready;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::time::Duration;

use backoff_retry::{Budget, History, StopReason};

use crate::support::{Seen, Time, at_once, retry};

/// Where the panic is, and what the hooks then are told; which attempts and which reason the
/// history counts. The function fails twice and then succeeds.
const TABLE: [(&str, &[&str], u64, StopReason); 8] = [
    ("the first look at the clock", &[], 0, StopReason::Cancelled),
    ("the first hook for retries", &[], 1, StopReason::Cancelled),
    (
        "the second hook for retries",
        &["retry 1: transient, 1s after 0ns: Err(1)"],
        2,
        StopReason::Cancelled,
    ),
    (
        "the hook for stops",
        &["retry 1: transient, 1s after 0ns: Err(1)", "retry 2: transient, 1s after 1s: Err(2)"],
        3,
        StopReason::Success,
    ),
    ("the classification", &["retry 1: transient, 1s after 0ns: Err(1)"], 2, StopReason::Cancelled),
    ("the clock", &["retry 1: transient, 1s after 0ns: Err(1)"], 2, StopReason::Cancelled),
    (
        "the function",
        &[
            "retry 1: transient, 1s after 0ns: Err(1)",
            "stop 2: none, cancelled, 0ns after 1s: None",
        ],
        2,
        StopReason::Cancelled,
    ),
    (
        "the sleep",
        &[
            "retry 1: transient, 1s after 0ns: Err(1)",
            "stop 1: none, cancelled, 0ns after 0ns: Some(Err(1))",
        ],
        1,
        StopReason::Cancelled,
    ),
];

fn play(panics: &str, blocking: bool) -> (Vec<String>, History, Budget) {
    let (time, seen, history) = (Time::default(), Seen::default(), History::new());
    let budget = Budget::parse("concurrent").unwrap();
    let panic_if = |what: &str, it: bool| assert!(!(it && panics == what), "on purpose");

    let mut reads = 0;
    let clock = std::cell::RefCell::new(|| {
        reads += 1;
        panic_if("the first look at the clock", reads == 1);
        panic_if("the clock", reads == 3);
        time.now()
    });
    let slept = |delay| {
        panic_if("the sleep", true);
        time.wait(delay);
    };
    let mut calls = 0;
    let call = || {
        calls += 1;
        panic_if("the function", calls == 2);
        if calls < 3 { Err(calls) } else { Ok(calls) }
    };
    let when = |error: &i32| {
        panic_if("the classification", *error == 2);
        true
    };
    let retry = retry("constant:base=1s").history(&history).budget(&budget);
    let retry = retry.clock(|| clock.borrow_mut()());
    let ended = catch_unwind(AssertUnwindSafe(|| {
        macro_rules! plan {
            ($retry:expr) => {
                $retry
                    .when(when)
                    .on_retry(|event| {
                        panic_if("the first hook for retries", event.attempts == 1);
                        panic_if("the second hook for retries", event.attempts == 2);
                        seen.retry(event);
                    })
                    .on_stop(|event| {
                        panic_if("the hook for stops", true);
                        seen.stop(event);
                    })
            };
        }
        if blocking {
            plan!(retry.sleep(slept)).call(call)
        } else {
            let mut call = call;
            let retry = retry.sleep(|delay| {
                slept(delay);
                ready(())
            });
            at_once(plan!(retry).call_async(|| ready(call())))
        }
    }));
    let message = *ended.unwrap_err().downcast::<&str>().unwrap();
    assert_eq!(message, "on purpose");
    (seen.lines(), history, budget)
}

#[test]
fn a_panic_ends_the_loop_and_leaves_nothing_behind() {
    for (panics, events, attempts, reason) in TABLE {
        for blocking in [true, false] {
            let (seen, history, budget) = play(panics, blocking);
            assert_eq!(seen, events, "{panics}");
            let counted = History::new();
            counted.record(attempts, reason);
            assert_eq!(history.to_words(), counted.to_words(), "{panics}");
            let idle = Budget::parse("concurrent").unwrap();
            assert_eq!(budget.to_words(), idle.to_words(), "{panics}");
        }
    }
}

/// A second panic during the first one's unwinding would abort the process.
#[test]
fn the_first_panic_goes_on_whatever_the_clock_and_the_hook_do() {
    for poisoned in ["the clock", "the hook for stops"] {
        for blocking in [true, false] {
            let (state, history) = (Mutex::new(()), History::new());
            let lock = |what| drop((poisoned == what).then(|| state.lock().unwrap()));
            let clock = || {
                lock("the clock");
                Duration::ZERO
            };
            let retry = retry("constant:base=1s").clock(clock).history(&history);
            let plan = retry.when(|()| true).on_stop(|_| lock("the hook for stops"));
            let call = || -> Result<(), ()> {
                let _state = state.lock().unwrap();
                panic!("on purpose")
            };
            let ended = catch_unwind(AssertUnwindSafe(|| {
                if blocking { plan.call(call) } else { at_once(plan.call_async(async || call())) }
            }));
            assert_eq!(*ended.unwrap_err().downcast::<&str>().unwrap(), "on purpose");
            assert_eq!((history.attempts(), history.stopped(StopReason::Cancelled)), (1, 1));
        }
    }
}

#[test]
fn the_last_hook_given_is_told() {
    let seen = Seen::default();
    let result = retry("constant:base=0s,max_retries=1")
        .when(|()| true)
        .on_retry(|_| panic!("replaced"))
        .on_stop(|_| panic!("replaced"))
        .on_retry(|event| seen.note(format!("retry {}", event.attempts)))
        .on_stop(|event| seen.note(format!("stop {}", event.attempts)))
        .call(|| Err::<(), ()>(()));
    assert_eq!(result, Err(()));
    assert_eq!(seen.lines(), ["retry 1", "stop 2"]);
}
