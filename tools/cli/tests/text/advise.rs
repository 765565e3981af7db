//! `backoff advise`.

use serde_json::Value;

use crate::support::output;

fn advice(arguments: &[&str]) -> Value {
    let all = [&["advise", "--json", "--runs=2"], arguments].concat();
    serde_json::from_slice(&output(&all).stdout).unwrap()
}

/// Whatever the service, the verdicts agree with the numbers beside them.
#[test]
fn advice_agrees_with_its_numbers() {
    for arguments in [
        ["--clients=50", "--capacity=200", "--latency=20ms", "--outage=10s"],
        ["--clients=1", "--capacity=1", "--latency=1s", "--outage=5s"],
        ["--clients=100000", "--capacity=50000", "--latency=1ms", "--outage=200ms"],
        ["--clients=10", "--capacity=100", "--latency=50ms", "--unbounded"],
    ] {
        let advice = advice(&arguments);
        let trials = advice["trials"].as_array().unwrap();
        let number = |trial: &Value, name: &str| trial[name].as_f64().unwrap();
        let best = &advice["recommended"];
        let gain = |this: &Value, other: &Value| {
            let error = number(this, "success_sem").hypot(number(other, "success_sem"));
            (number(this, "success_rate") - number(other, "success_rate")) / error.max(1e-12)
        };
        let safe = |trial: &&Value| {
            let unsafe_verdicts = ["no_recovery", "late_recovery", "too_many_calls", "no_jitter"];
            !unsafe_verdicts.contains(&trial["verdict"].as_str().unwrap())
        };
        if best.is_null() {
            // A service of one call per second is too small for any retry.
            assert_eq!(advice["capacity"], 1.0, "{advice}");
            assert!(trials.iter().filter(safe).all(|trial| gain(trial, &trials[0]) <= 2.0));
            continue;
        }
        assert!(trials.contains(best), "{arguments:?}: {advice}");
        assert_eq!(best["verdict"], "recommended");
        // Without retries one call in a hundred fails, and perhaps some time out.
        assert_eq!(trials[0]["verdict"], "no_retries");
        assert!(number(&trials[0], "success_rate") < 0.9935, "{arguments:?}: {}", trials[0]);
        assert!(gain(best, &trials[0]) > 2.0, "{arguments:?}");
        let longest = number(&trials[0], "recovery_ms") + number(&advice, "outage_ms");
        assert!(number(best, "recovery_ms") <= longest);
        assert!(number(best, "calls_per_operation") <= 2.0);
    }
}

/// Without failures there is nothing to gain in normal operation.
#[test]
fn nothing_is_recommended_if_retries_gain_nothing() {
    let arguments = ["--clients=50", "--capacity=200", "--latency=20ms", "--rate=20"];
    let arguments = [&arguments[..], &["--failure=0"]].concat();
    assert_eq!(advice(&arguments)["recommended"], Value::Null);
    let run = output(&[&["advise", "--runs=1"], &arguments[..]].concat());
    assert_eq!(run.status.code(), Some(1));
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(text.contains("Nothing is recommended. No safe policy has more successes"), "{text}");
    assert_eq!(advice(&arguments), advice(&[&arguments[..], &["--threads=3"]].concat()));
}

#[test]
fn no_policy_is_recommended_for_a_service_that_is_overloaded_without_retries() {
    let arguments =
        ["--clients=10", "--capacity=100", "--rate=200", "--latency=10ms", "--unbounded"];
    assert_eq!(advice(&arguments)["recommended"], Value::Null);
    let all = [&["advise", "--runs=1"], &arguments[..]].concat();
    let run = output(&all);
    assert_eq!(run.status.code(), Some(1));
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(text.contains("The service does not recover even without retries."), "{text}");
}

/// The usual service of a third party: it is quick, and limits the calls in a second.
#[test]
fn a_rate_limited_service_is_not_a_slow_one() {
    for (capacity, latency) in [("10", "10ms"), ("50", "10ms")] {
        let capacity = format!("--capacity={capacity}");
        let arguments = ["--clients=10", &capacity, &format!("--latency={latency}"), "--outage=5s"];
        let advice = advice(&arguments);
        assert_eq!(advice["limits_rate"], true);
        let success = |trial: &Value| trial["success_rate"].as_f64().unwrap();
        // One in a hundred fails by itself; as one worker it would serve a third.
        assert!((0.98..0.995).contains(&success(&advice["trials"][0])), "{}", advice["trials"][0]);
        assert!(success(&advice["recommended"]) > 0.999, "{}", advice["recommended"]);
        assert!(advice["recommended"]["p99_ms"].as_f64().unwrap() < 200.0);
    }
    let text = output(&["advise", "--clients=1", "--capacity=10", "--latency=10ms", "--runs=1"]);
    let text = String::from_utf8(text.stdout).unwrap().replace('\n', " ");
    assert!(text.starts_with("1 client begins 7 operations per second."), "{text}");
    assert!(text.contains(" 1 run of each policy"), "{text}");
}

#[test]
fn a_goal_decides_what_is_recommended() {
    let service = ["--clients=5", "--capacity=20", "--latency=100ms", "--outage=5s"];
    let with = |goals: &[&str]| advice(&[&service[..], goals].concat());
    let p99 = |advice: &Value| advice["recommended"]["p99_ms"].as_f64().unwrap();
    // Just enough for some of the policies.
    let tight = with(&["--p99=1000ms"]);
    assert!(p99(&tight) <= 1000.0, "{}", tight["recommended"]);
    assert_eq!(tight["goals"]["p99_ms"], 1000.0);
    let of = |trial: &Value| (trial["verdict"] == "misses_goal", trial["p99_ms"].as_f64());
    let missed = tight["trials"].as_array().unwrap().iter().map(of);
    let missed: Vec<_> = missed.filter(|(misses, _)| *misses).collect();
    assert!(!missed.is_empty() && missed.iter().all(|(_, p99)| *p99 > Some(1000.0)), "{missed:?}");
    let impossible = with(&["--p99=1ms", "--success=100%"]);
    assert_eq!(impossible["recommended"], Value::Null);
    let run = output(&[&["advise", "--runs=2", "--p99=1ms"], &service[..]].concat());
    let text = String::from_utf8(run.stdout).unwrap().replace('\n', " ");
    assert!(text.contains("No safe policy meets the goals: of those that miss them"), "{text}");
    // Retries that end within the deadline.
    let deadline = with(&["--deadline=1ns"]);
    let gained = |trial: &Value| trial["success_rate"].as_f64().unwrap();
    let trials = deadline["trials"].as_array().unwrap();
    assert!(trials.iter().all(|trial| (gained(trial) - gained(&trials[0])).abs() < 1e-9));
}

#[test]
fn a_service_that_cannot_be_is_refused() {
    for (arguments, expected) in [
        (["--capacity=100", "--timeout=10ms"], "--timeout 10ms is shorter than --latency 20ms"),
        (["--capacity=10", "--unbounded"], "it serves one call after another, --latency is 100ms"),
        (["--capacity=10", "--success=2"], "`2` is not a number from 0 to 1, or from 0% to 100%"),
    ] {
        let run = output(&[&["advise", "--clients=5", "--latency=20ms"], &arguments[..]].concat());
        assert_eq!(run.status.code(), Some(2));
        let message = String::from_utf8(run.stderr).unwrap();
        assert!(message.contains(expected), "{message}");
    }
}
