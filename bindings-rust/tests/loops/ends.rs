//! Every way in which a loop ends, blocking and async: its waits, events, report and stats.

use std::future::ready;
use std::time::{Duration, Instant};

use backoff_core::ffi;
use backoff_retry::{Budget, Policy, RandomStream, Report, Retry, RetryStats, StopReason};

use crate::support::{Fault, Seen, Time, at_once, budget_state, counts, retry, seconds, verdict};

use Fault::{After, Busy, Fine, Hard, Slow, Soft};

/// A loop and its events. Each call takes a second, the last entry of the script repeats, and the
/// value of a call is its number.
struct Row {
    policy: &'static str,
    budget: Option<&'static str>,
    deadline: Option<u64>,
    script: &'static [Result<(), Fault>],
    events: &'static [&'static str],
}

const fn row(
    policy: &'static str,
    script: &'static [Result<(), Fault>],
    events: &'static [&'static str],
) -> Row {
    Row { policy, budget: None, deadline: None, script, events }
}

const ROWS: &[Row] = &[
    row("constant:base=1s", &[Ok(())], &["stop 1: success, success, 0ns after 1s: Some(Ok(1))"]),
    row(
        "constant:base=1s",
        &[Err(Soft), Ok(())],
        &[
            "retry 1: transient, 1s after 1s: Err(Soft)",
            "stop 2: success, success, 0ns after 3s: Some(Ok(2))",
        ],
    ),
    // A failure is never a success.
    row(
        "constant:base=1s",
        &[Err(Fine)],
        &["stop 1: permanent, permanent, 0ns after 1s: Some(Err(Fine))"],
    ),
    row(
        "constant:base=1s",
        &[Err(Hard)],
        &["stop 1: permanent, permanent, 0ns after 1s: Some(Err(Hard))"],
    ),
    row(
        "constant:base=1s",
        &[Err(Slow), Err(Hard)],
        &[
            "retry 1: timeout, 1s after 1s: Err(Slow)",
            "stop 2: permanent, permanent, 0ns after 3s: Some(Err(Hard))",
        ],
    ),
    // Zero retries run once, and the last failure is not waited for.
    row(
        "constant:base=1s,max_retries=0",
        &[Err(Soft)],
        &["stop 1: transient, max_retries, 0ns after 1s: Some(Err(Soft))"],
    ),
    row(
        "exponential:base=1s,max_retries=2",
        &[Err(Soft)],
        &[
            "retry 1: transient, 1s after 1s: Err(Soft)",
            "retry 2: transient, 2s after 3s: Err(Soft)",
            "stop 3: transient, max_retries, 0ns after 6s: Some(Err(Soft))",
        ],
    ),
    // A wait may end at the limit, but not after it: 1 + 4 = 5, and 6 + 4 > 9.
    row(
        "constant:base=4s,max_elapsed=9s",
        &[Err(Soft)],
        &[
            "retry 1: transient, 4s after 1s: Err(Soft)",
            "stop 2: transient, max_elapsed, 4s after 6s: Some(Err(Soft))",
        ],
    ),
    row(
        "constant:base=4s,max_elapsed=10s",
        &[Err(Soft)],
        &[
            "retry 1: transient, 4s after 1s: Err(Soft)",
            "retry 2: transient, 4s after 6s: Err(Soft)",
            "stop 3: transient, max_elapsed, 4s after 11s: Some(Err(Soft))",
        ],
    ),
    // Without `max_elapsed` even the longest wait is waited, 292 years; the longest limit stops it.
    row(
        "constant:base=9223372036854775807ns,max_retries=1",
        &[Err(Soft)],
        &[
            "retry 1: transient, 9223372036.854775807s after 1s: Err(Soft)",
            "stop 2: transient, max_retries, 0ns after 9223372038.854775807s: Some(Err(Soft))",
        ],
    ),
    row(
        "constant:base=9223372036854775806ns,max_elapsed=9223372036854775806ns",
        &[Err(Soft)],
        &["stop 1: transient, max_elapsed, 9223372036.854775806s after 1s: Some(Err(Soft))"],
    ),
    // The clock stood at 100 s when the loop began.
    Row {
        deadline: Some(104),
        ..row(
            "constant:base=2s",
            &[Err(Soft)],
            &[
                "retry 1: transient, 2s after 1s: Err(Soft)",
                "stop 2: transient, deadline, 2s after 4s: Some(Err(Soft))",
            ],
        )
    },
    // A deadline that has passed allows the first call.
    Row {
        deadline: Some(99),
        ..row(
            "constant:base=0s",
            &[Err(Soft)],
            &["stop 1: transient, deadline, 0ns after 1s: Some(Err(Soft))"],
        )
    },
    Row {
        budget: Some("quota:max_tokens=9,cost=5"),
        ..row(
            "constant:base=1s",
            &[Err(Soft)],
            &[
                "retry 1: transient, 1s after 1s: Err(Soft)",
                "stop 2: transient, budget, 1s after 3s: Some(Err(Soft))",
            ],
        )
    },
    // A retry_after never shortens the delay unless the policy says `exact`, and has a maximum.
    row(
        "constant:base=2s,throttled_base=3s",
        &[Err(After(5)), Err(After(1)), Err(Busy), Err(Soft), Ok(())],
        &[
            "retry 1: throttled, 5s after 1s: Err(After(5))",
            "retry 2: throttled, 3s after 7s: Err(After(1))",
            "retry 3: throttled, 3s after 11s: Err(Busy)",
            "retry 4: transient, 2s after 15s: Err(Soft)",
            "stop 5: success, success, 0ns after 18s: Some(Ok(5))",
        ],
    ),
    row(
        "constant:base=2s,retry_after=exact,retry_after_max=4s,max_retries=2",
        &[Err(After(5)), Err(After(1))],
        &[
            "retry 1: throttled, 4s after 1s: Err(After(5))",
            "retry 2: throttled, 1s after 6s: Err(After(1))",
            "stop 3: throttled, max_retries, 0ns after 8s: Some(Err(After(1)))",
        ],
    ),
];

type Calls = Result<u64, Fault>;

/// How a loop ended.
#[derive(Debug, PartialEq)]
struct End {
    report: Report<Calls>,
    events: Vec<String>,
    waits: Vec<Duration>,
    stats: [u64; ffi::STATS_WORDS],
    budget: Option<[u64; ffi::BUDGET_WORDS]>,
}

fn play(row: &Row, blocking: bool) -> End {
    let (time, seen, stats) = (Time::default(), Seen::default(), RetryStats::new());
    time.pass(seconds(100));
    let budget = row.budget.map(|text| Budget::parse(text).unwrap());
    let mut retry = retry(row.policy).clock(time.clock()).stats(&stats);
    if let Some(budget) = &budget {
        retry = retry.budget(budget);
    }

    let mut calls = 0;
    let mut call = || {
        time.pass(seconds(1));
        calls += 1;
        let at = usize::try_from(calls).unwrap().min(row.script.len());
        row.script[at - 1].map(|()| calls)
    };
    macro_rules! plan {
        ($retry:expr) => {{
            let mut plan = $retry.when(verdict);
            if let Some(deadline) = row.deadline {
                plan = plan.deadline_at(seconds(deadline));
            }
            plan.on_retry(|event| seen.retry(event)).on_stop(|event| seen.stop(event))
        }};
    }
    let report = if blocking {
        plan!(retry.sleep(time.sleep())).run(call)
    } else {
        at_once(plan!(retry.sleep(time.sleep_async())).run_async(|| ready(call())))
    };
    let (events, waits) = (seen.lines(), time.waits());
    let budget = budget.as_ref().map(budget_state);
    End { report, events, waits, stats: counts(&stats), budget }
}

#[test]
fn loops_end_as_in_the_table() {
    for row in ROWS {
        let end = play(row, true);
        assert_eq!(end.events, row.events, "{}", row.policy);

        // The events agree with the report, the waits and the stats.
        let (stop, retries) = end.events.split_last().unwrap();
        let attempts = retries.len() as u64 + 1;
        let Report { result, reason, delay, elapsed, .. } = end.report;
        assert_eq!(end.report.attempts, attempts, "{}", row.policy);
        assert!(stop.contains(&format!(
            "{}, {delay:?} after {elapsed:?}: Some({result:?})",
            reason.name()
        )));
        assert_eq!(end.waits.len(), retries.len(), "{}", row.policy);
        for (wait, line) in end.waits.iter().zip(retries) {
            assert!(line.contains(&format!(", {wait:?} after")), "{line}");
        }
        let counted = RetryStats::new();
        counted.record(attempts, reason);
        assert_eq!(end.stats, counts(&counted), "{}", row.policy);

        assert_eq!(play(row, false), end, "{}: async like blocking", row.policy);
    }
}

#[test]
fn the_table_has_every_reason_except_cancelled() {
    let mut missing = StopReason::ALL.to_vec();
    for row in ROWS {
        let stop = row.events.last().unwrap();
        missing.retain(|reason| !stop.contains(&format!(", {}, ", reason.name())));
    }
    assert_eq!(missing, [StopReason::Cancelled]);
}

#[test]
fn a_deadline_is_an_instant_of_the_default_clock() {
    let began = Instant::now();
    let hour = seconds(3600);
    // Before the clock began, too early for the wait, and after it.
    for (deadline, reason, attempts) in [
        (began.checked_sub(hour).unwrap(), StopReason::Deadline, 1),
        (began + hour / 2, StopReason::Deadline, 1),
        (began + 2 * hour, StopReason::MaxRetries, 2),
    ] {
        let report = retry("constant:base=1h,max_retries=1")
            .sleep(|_| {})
            .when(|()| true)
            .deadline(deadline)
            .run(|| Err::<(), ()>(()));
        assert_eq!((report.reason, report.attempts), (reason, attempts));
    }
}

#[test]
fn a_loop_on_the_default_policy_waits_its_delays() {
    let time = Time::default();
    let stream = RandomStream::from_key(42, "job-1");
    let result = Retry::default()
        .seed_and_key(42, "job-1")
        .clock(time.clock())
        .sleep(time.sleep())
        .when(|()| true)
        .call(|| Err::<(), ()>(()));
    assert_eq!(result, Err(()));
    let policy = Policy::parse("default").unwrap();
    let delays: Vec<_> =
        (0..).map(|index| policy.delay(stream, index)).take(time.waits().len()).collect();
    assert_eq!(time.waits(), delays);
    assert!(!delays.is_empty());
}
