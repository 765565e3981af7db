//! The loops of `tests/vectors/loops.json`.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use backoff_retry::{Budget, Retry, RetryStats, StopReason};
use serde::Deserialize;

use crate::play::{Call, CallerFailed, Form, Point, Scene, Script};
use crate::vectors::{cases, stream};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    policy: String,
    budget: Option<String>,
    seed: String,
    key: Option<String>,
    loops: Vec<Script>,
    stats: Stats,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stats {
    operations: u64,
    attempts: u64,
    stops: BTreeMap<String, u64>,
}

/// How many cases each form plays, and how the needs begin that it cannot meet.
const FORMS: [(Form, usize, &[&str]); 6] = [
    (
        Form::Call,
        89,
        &[
            "classified value",
            "fail classification of a value",
            "fail retry_hook",
            "fail stop_hook",
            "cancel before",
            "cancel call",
            "cancel classification",
            "cancel retry_hook",
        ],
    ),
    (
        Form::Attempt,
        106,
        &[
            "unclassified",
            "cancel before",
            "cancel call",
            "cancel classification",
            "cancel retry_hook",
        ],
    ),
    // Only the sleep can cancel it, and an error is a value like any other.
    (
        Form::Run,
        108,
        &[
            "unclassified",
            "failure success",
            "cancel before",
            "cancel call",
            "cancel classification",
        ],
    ),
    (Form::RunUntil, 129, &["unclassified"]),
    // Nothing interrupts a poll, so a call that is cancelled does not end.
    (Form::CallAsync, 127, &["unclassified", "cancel classification"]),
    (Form::RunAsync, 111, &["unclassified", "failure success", "cancel classification", "limit"]),
];

/// Rust has no marks, and `when` is not optional.
const NO_FORM: [&str; 2] = ["mark", "unclassified failure"];

/// What a form must express to play a case, beside the name of the case.
fn needs(case: &Case) -> Vec<String> {
    let mut needs = vec![case.id.clone()];
    for Script { calls, classified, cancel, fail, limits, .. } in &case.loops {
        needs.extend(limits.iter().flatten().map(|_| "limit".to_owned()));
        for Call { ends, mark, outcome, .. } in calls {
            needs.extend(mark.as_ref().map(|_| "mark".to_owned()));
            needs.extend(match (&**ends, outcome.as_deref()) {
                _ if !classified => Some(format!("unclassified {ends}")),
                ("failure", Some("success")) => Some("failure success".to_owned()),
                ("failure", _) | (_, Some("success")) => None,
                _ => Some("classified value".to_owned()),
            });
        }
        needs.extend(cancel.as_ref().map(|point| format!("cancel {}", point.place)));
        needs.extend(fail.as_ref().map(|Point { place, call, .. }| {
            let ends = calls.get(*call).map_or("nothing", |call| &call.ends);
            format!("fail {place} of a {ends}")
        }));
    }
    needs
}

fn check(form: Form, case: &Case) {
    let (now, stats) = (Cell::default(), RetryStats::new());
    let budget = case.budget.as_ref().map(|text| Budget::parse(text).unwrap());
    let stream = stream(&case.seed, case.key.as_deref());
    let retry = Retry::with_stream(case.policy.parse().unwrap(), stream);
    let mut retry = retry.clock(|| now.get()).stats(&stats);
    if let Some(budget) = &budget {
        retry = retry.budget(budget);
    }
    let stops = || StopReason::ALL.iter().map(|it| (it.name().to_owned(), stats.stops(*it)));
    for (number, script) in case.loops.iter().enumerate() {
        let at = format!("{form:?} of {}, loop {number}", case.id);
        let mut expected_stops: BTreeMap<_, _> = stops().collect();
        *expected_stops.get_mut(&script.reason).unwrap() += 1;
        let scene = Scene::new(script, &now);
        let ends = match catch_unwind(AssertUnwindSafe(|| scene.play(form, retry.clone()))) {
            Ok(Some(result)) => {
                assert_eq!(Some(result), scene.last.get(), "{at}");
                scene.end(result)
            }
            // A future that is dropped returns nothing, whatever its last call returned.
            Ok(None) if form.is_async() => &script.ends,
            Ok(None) => "nothing",
            Err(panic) if panic.is::<CallerFailed>() => "caller",
            Err(panic) => panic!("{at}: {panic:?}"),
        };
        assert_eq!(ends, script.ends, "{at}");
        assert_eq!(scene.calls.get(), script.calls.len(), "{at}");
        assert_eq!(*scene.waits.borrow(), script.waits, "{at}");
        if form != Form::Call {
            assert_eq!(*scene.events.borrow(), script.events, "{at}");
        }
        assert_eq!(stops().collect::<BTreeMap<_, _>>(), expected_stops, "{at}");
    }
    let (operations, attempts) = (stats.operations(), stats.attempts());
    let stops = stops().filter(|(_, count)| *count > 0).collect();
    assert_eq!(Stats { operations, attempts, stops }, case.stats, "{form:?} of {}", case.id);
}

#[test]
fn loops_do_what_the_reference_does() {
    let cases = cases::<Case>("loops");
    assert_eq!(cases.len(), 134);
    for (form, count, lacking) in FORMS {
        let is_met =
            |need: &String| !lacking.iter().chain(&NO_FORM).any(|lack| need.starts_with(lack));
        let played: Vec<_> = cases.iter().filter(|case| needs(case).iter().all(is_met)).collect();
        assert_eq!(played.len(), count, "{form:?}");
        for case in played {
            check(form, case);
        }
    }
}
