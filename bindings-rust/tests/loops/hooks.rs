//! Panics in a clock, in the called function, and in a hook while something unwinds. The vectors have
//! those in other code of the caller.

use std::cell::Cell;
use std::future::ready;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::time::Duration;

use backoff_retry::{Budget, RetryStats, StopReason};

use crate::support::{Seen, Time, at_once, budget_state, counts, retry};

#[test]
fn a_panic_ends_the_loop_and_leaves_nothing_behind() {
    let retried = "retry 1: Some(Err(1)), None";
    // Where the panic is, the events, and the attempts that the stats count.
    for (panics, events, attempts) in [
        ("the first reading of the clock", vec![], 0),
        ("the clock", vec![retried], 2),
        ("the function", vec![retried, "stop 2: None, Some(Cancelled)"], 2),
    ] {
        for blocking in [true, false] {
            let (time, seen, stats) = (Time::default(), Seen::default(), RetryStats::new());
            let budget = Budget::parse("concurrent").unwrap();
            let panic_if =
                |place: &str, now: bool| assert!(!(now && panics == place), "on purpose");
            let reads = Cell::new(0);
            let clock = || {
                reads.set(reads.get() + 1);
                panic_if("the first reading of the clock", reads.get() == 1);
                panic_if("the clock", reads.get() == 3);
                time.now()
            };
            let mut calls = 0;
            let mut call = || {
                calls += 1;
                panic_if("the function", calls == 2);
                Err::<(), _>(calls)
            };
            let retry = retry("constant:base=1s").stats(&stats).budget(&budget).clock(clock);
            macro_rules! plan {
                ($sleep:expr) => {
                    retry
                        .sleep($sleep)
                        .when(|_: &i32| true)
                        .on_retry(|event| seen.retry(event))
                        .on_stop(|event| seen.stop(event))
                };
            }
            let ended = catch_unwind(AssertUnwindSafe(|| {
                if blocking {
                    plan!(|delay| time.wait(delay)).call(call)
                } else {
                    at_once(plan!(async |delay| time.wait(delay)).call_async(|| ready(call())))
                }
            }));
            assert_eq!(*ended.unwrap_err().downcast::<&str>().unwrap(), "on purpose");
            assert_eq!(seen.lines(), events, "{panics}");
            let counted = RetryStats::new();
            counted.record(attempts, StopReason::Cancelled);
            assert_eq!(counts(&stats), counts(&counted), "{panics}");
            let idle = Budget::parse("concurrent").unwrap();
            assert_eq!(budget_state(&budget), budget_state(&idle), "{panics}");
        }
    }
}

/// A second panic while the first one unwinds would abort the process.
#[test]
fn the_first_panic_continues_even_if_the_clock_or_the_hook_panics() {
    for poisoned in ["the clock", "the hook for stops"] {
        for blocking in [true, false] {
            let (mutex, stats) = (Mutex::new(()), RetryStats::new());
            let lock = |what| drop((poisoned == what).then(|| mutex.lock().unwrap()));
            let clock = || {
                lock("the clock");
                Duration::ZERO
            };
            let retry = retry("constant:base=1s").clock(clock).stats(&stats);
            let plan = retry.when(|()| true).on_stop(|_| lock("the hook for stops"));
            let call = || -> Result<(), ()> {
                let _guard = mutex.lock().unwrap();
                panic!("on purpose")
            };
            let ended = catch_unwind(AssertUnwindSafe(|| {
                if blocking { plan.call(call) } else { at_once(plan.call_async(async || call())) }
            }));
            assert_eq!(*ended.unwrap_err().downcast::<&str>().unwrap(), "on purpose");
            assert_eq!((stats.attempts(), stats.stops(StopReason::Cancelled)), (1, 1));
        }
    }
}

#[test]
fn a_hook_that_panics_in_a_drop_panics_out_of_it_unless_the_thread_already_unwinds() {
    for unwinds in [false, true] {
        let stats = RetryStats::new();
        let ended = catch_unwind(AssertUnwindSafe(|| {
            let plan = retry("constant:base=1s").stats(&stats).when(|()| true);
            let plan = plan.on_stop(|_| panic!("in the hook"));
            let _future = plan.call_async(async || Err::<(), ()>(()));
            assert!(!unwinds, "on purpose");
        }));
        let message = *ended.unwrap_err().downcast::<&str>().unwrap();
        assert_eq!(message, if unwinds { "on purpose" } else { "in the hook" });
        assert_eq!(stats.stops(StopReason::Cancelled), 1);
    }
}

#[test]
fn a_hook_replaces_an_earlier_one() {
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
