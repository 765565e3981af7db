//! The options of all loops of a program. They are in a process of their own, one test at a time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{env, process, thread};

use backoff_retry::{
    Attempt, Budget, Defaults, Outcome, Policy, Retry, RetryStats, StopReason, set_defaults,
};

#[allow(dead_code, reason = "others use the rest")]
#[path = "../../core/tests/conformance/vectors.rs"]
mod vectors;

use serde::Deserialize;
use vectors::cases;

/// Tests change what all threads see.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn attempts(retry: &Retry<'_>) -> (u64, StopReason) {
    let report = retry.when(|_: &&str| true).call_with_report(|| Err::<(), _>("busy"));
    (report.attempts, report.reason)
}

fn at_once() -> Retry<'static> {
    Retry::new(Policy::parse("constant:base=0s,max_retries=2").unwrap())
}

#[test]
fn a_switched_off_loop_calls_once_without_its_budget() {
    let _alone = alone();
    let (budget, stats) = (Budget::parse("quota:max_tokens=1,cost=1").unwrap(), RetryStats::new());
    let retry = at_once().budget(&budget).stats(&stats);
    let guard = set_defaults(Defaults::new().enabled(false));
    assert_eq!(attempts(&retry), (1, StopReason::MaxRetries));
    let mut outcome = None;
    let plan = at_once().when(|_: &&str| true).on_stop(|event| outcome = event.outcome);
    assert_eq!(plan.call(|| Err::<(), _>("busy")), Err("busy"));
    assert_eq!(outcome, Some(Outcome::Transient));
    let permanent = at_once().when(|_: &&str| false).call_with_report(|| Err::<(), _>("no"));
    assert_eq!(permanent.reason, StopReason::Permanent);
    assert_eq!(at_once().when(|_: &&str| true).call(|| Err::<(), _>("busy")), Err("busy"));
    assert_eq!(thread::spawn(|| attempts(&at_once())).join().unwrap().0, 1);
    assert_eq!(stats.operations(), 1);
    drop(guard);
    // The budget still has its token.
    assert_eq!(attempts(&retry), (2, StopReason::Budget));
    assert_eq!(attempts(&at_once()), (3, StopReason::MaxRetries));
}

#[test]
fn guards_end_in_any_order() {
    let _alone = alone();
    let policy = |text: &str| Defaults::new().policy(Policy::parse(text).unwrap());
    let current = || Retry::default().policy().max_retries();
    let first = set_defaults(policy("immediate:max_retries=1"));
    let second = set_defaults(policy("immediate:max_retries=2"));
    assert_eq!(current(), 2);
    drop(first);
    assert_eq!(current(), 2);
    let third = set_defaults(policy("immediate:max_retries=5"));
    assert_eq!(current(), 5);
    drop(third);
    assert_eq!(current(), 2);
    drop(second);
    assert_eq!(current(), 3);
}

#[test]
fn defaults_add_up() {
    let _alone = alone();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let hook = |name: &'static str| {
        let seen = Arc::clone(&seen);
        Defaults::new().on_stop(move |_| seen.lock().unwrap().push(name))
    };
    let fail = || {
        let report = Retry::default().when(|(): &()| true).call_with_report(|| Err::<(), _>(()));
        (report.attempts, std::mem::take(&mut *seen.lock().unwrap()))
    };
    let _library =
        set_defaults(hook("library").policy(Policy::parse("immediate:max_retries=1").unwrap()));
    let off = set_defaults(Defaults::new().enabled(false));
    let program = set_defaults(hook("program"));
    assert_eq!(fail(), (1, vec!["library", "program"]));
    drop(off);
    assert_eq!(fail(), (2, vec!["library", "program"]));
    drop(program);
    assert_eq!(fail(), (2, vec!["library"]));
}

/// A step of a program, of `tests/vectors/defaults.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    #[serde(rename = "do")]
    what: String,
    call: Option<u64>,
    #[serde(default)]
    options: Options,
    waits: Option<Vec<String>>,
    hooks: Option<Vec<String>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    policy: Option<String>,
    max_retries: Option<u64>,
    max_attempts: Option<u64>,
    enabled: Option<bool>,
    hook: Option<String>,
}

#[derive(Deserialize)]
struct Case {
    id: String,
    steps: Vec<Step>,
}

type Called = Arc<Mutex<Vec<String>>>;

fn note(called: &Called, kind: &str, hook: Option<&String>) -> impl Fn() + Send + Sync + 'static {
    let (called, name) = (Arc::clone(called), hook.map(|hook| format!("{kind} {hook}")));
    move || called.lock().unwrap().extend(name.clone())
}

fn defaults_of(options: Options, called: &Called) -> Defaults {
    let hooks = ["retry", "stop"].map(|kind| note(called, kind, options.hook.as_ref()));
    let [retries, stops] = hooks;
    let mut defaults = Defaults::new().on_retry(move |_| retries()).on_stop(move |_| stops());
    if let Some(policy) = options.policy {
        defaults = defaults.policy(policy.parse().unwrap());
    }
    if let Some(enabled) = options.enabled {
        defaults = defaults.enabled(enabled);
    }
    defaults
}

#[test]
fn defaults_are_those_of_the_vectors() {
    let _alone = alone();
    let called = Called::default();
    let mut played = 0;
    for case in cases::<Case>("defaults") {
        let has_fields = |step: &Step| {
            let Options { max_retries, max_attempts, .. } = step.options;
            step.what == "set" && (max_retries.is_some() || max_attempts.is_some())
        };
        if case.steps.iter().any(has_fields) {
            continue; // fields are no defaults in Rust
        }
        played += 1;
        let mut guards = HashMap::new();
        for (position, step) in case.steps.into_iter().enumerate() {
            match step.what.as_str() {
                "set" => {
                    let defaults = defaults_of(step.options, &called);
                    drop(guards.insert(step.call, set_defaults(defaults)));
                    continue;
                }
                "restore" => {
                    drop(guards.remove(&step.call));
                    continue;
                }
                _ => {}
            }
            let Options { policy, max_retries, max_attempts, hook, .. } = step.options;
            let retry = match policy {
                Some(policy) => Retry::new(policy.parse().unwrap()),
                None => Retry::default(),
            };
            let retry = retry.policy_with(|mut policy| {
                if let Some(retries) = max_retries {
                    policy = policy.max_retries(retries);
                }
                match max_attempts {
                    Some(attempts) => policy.max_attempts(attempts),
                    None => policy,
                }
            });
            let waits = Mutex::new(Vec::new());
            let retry = retry.unwrap().sleep(|wait: Duration| {
                waits.lock().unwrap().push(wait.as_nanos().to_string());
            });
            let hooks = ["retry", "stop"].map(|kind| note(&called, kind, hook.as_ref()));
            let [retries, stops] = hooks;
            let plan = retry.when(|(): &()| true).on_retry(|_| retries()).on_stop(|_| stops());
            assert_eq!(plan.call(|| Err::<(), _>(())), Err(()));
            let name = format!("{} {position}", case.id);
            assert_eq!(Some(waits.into_inner().unwrap()), step.waits, "{name}");
            assert_eq!(Some(std::mem::take(&mut *called.lock().unwrap())), step.hooks, "{name}");
        }
    }
    assert_eq!(played, 7);
}

#[test]
fn hooks_of_the_program_run_before_those_of_the_loop() {
    let _alone = alone();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let note = |what: &'static str| {
        let seen = Arc::clone(&seen);
        move |attempts: u64| seen.lock().unwrap().push((what, attempts))
    };
    let (retries, stops) = (note("retry"), note("stop"));
    let stats = Arc::new(RetryStats::new());
    let _guard = set_defaults(
        Defaults::new()
            .stats(Arc::clone(&stats))
            .on_retry(move |event| retries(event.attempts))
            .on_stop(move |event| stops(event.attempts)),
    );
    let (own_retries, own_stops) = (note("own retry"), note("own stop"));
    let plan = at_once()
        .when(|_: &&str| true)
        .on_retry(|event| own_retries(event.attempts))
        .on_stop(|event| own_stops(event.attempts));
    let _ = plan.call(|| Err::<(), _>("busy"));
    let expected = [
        ("retry", 1),
        ("own retry", 1),
        ("retry", 2),
        ("own retry", 2),
        ("stop", 3),
        ("own stop", 3),
    ];
    assert_eq!(*seen.lock().unwrap(), expected);
    // Also of a loop that nobody else watches, and of one that is cancelled.
    seen.lock().unwrap().clear();
    assert_eq!(at_once().when(|_: &&str| true).call(|| Ok(7)), Ok(7));
    assert!(at_once().when(|_: &&str| true).call_until(|| true, || Ok(7)).is_none());
    assert_eq!(*seen.lock().unwrap(), [("stop", 1), ("stop", 0)]);
    assert_eq!((stats.operations(), stats.stops(StopReason::Cancelled)), (3, 1));
}

#[test]
fn what_a_loop_sets_itself_wins() {
    let _alone = alone();
    let budgets = [0, 1].map(|_| Arc::new(Budget::parse("quota:max_tokens=1,cost=1").unwrap()));
    let stats = [0, 1].map(|_| Arc::new(RetryStats::new()));
    let defaults = Defaults::new().budget(Arc::clone(&budgets[0])).stats(Arc::clone(&stats[0]));
    let _guard = set_defaults(defaults);
    let own = at_once().budget(&budgets[1]).stats(&stats[1]);
    assert_eq!(attempts(&own), (2, StopReason::Budget));
    assert_eq!(attempts(&at_once()), (2, StopReason::Budget));
    assert_eq!(stats.map(|stats| stats.operations()), [1, 1]);
}

/// The list of a loop without a policy has as many retries as delays, unless the program has a policy.
#[test]
fn a_policy_of_the_program_limits_lists_of_delays() {
    let _alone = alone();
    let attempts = || {
        let plan = Retry::default().when(|_: &&str| true).delays([Duration::ZERO; 6]);
        plan.call_with_report(|| Err::<(), _>("busy")).attempts
    };
    assert_eq!(attempts(), 7);
    let _guard = set_defaults(Defaults::new().policy(Policy::parse("default").unwrap()));
    assert_eq!(attempts(), 4);
    let _off = set_defaults(Defaults::new().enabled(false));
    assert_eq!(attempts(), 1);
}

/// In processes of their own, because it is said once in a process.
#[test]
fn a_limit_of_attempts_that_nobody_keeps_is_said_once() {
    const FORM: &str = "BACKOFF_TEST_FORM";
    let test = "a_limit_of_attempts_that_nobody_keeps_is_said_once";
    let plan = |text: &str| Retry::new(Policy::parse(text).unwrap()).when(|(): &()| true);
    let Ok(form) = env::var(FORM) else {
        for form in ["thread", "future"] {
            let mut child = process::Command::new(env::current_exe().unwrap());
            let child = child.args(["--exact", test]).env(FORM, form).output().unwrap();
            assert!(child.status.success());
            let said = String::from_utf8(child.stderr).unwrap();
            assert_eq!(said.matches("attempt_timeout of the policy").count(), 1, "{said}");
            assert!(said.contains("policy constant:base=1s,attempt_timeout=2s"), "{said}");
        }
        return;
    };
    let done = |_: Attempt<Result<u8, ()>>| Ok(7);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    // Somebody keeps these, and nothing limits the next one.
    assert_eq!(plan("off:attempt_timeout=1s").call_with_attempt(done), Ok(7));
    let ended = plan("off:attempt_timeout=1s").timed_out(|_| Err(()));
    let told =
        plan("off:attempt_timeout=1s").call_async_with_attempt(async |attempt| done(attempt));
    assert_eq!(runtime.block_on(ended.call_async(async || Ok(7))), Ok(7));
    assert_eq!(runtime.block_on(told), Ok(7));
    assert_eq!(plan("constant:base=1s").call(|| Ok(7)), Ok(7));
    for policy in ["constant:base=1s,attempt_timeout=2s", "constant:base=1s,attempt_timeout=3s"] {
        let result = if form == "thread" {
            // The loop in a thread does not end a call, whatever `timed_out` would say.
            plan(policy).timed_out(|_| Err(())).call(|| Ok(7))
        } else {
            runtime.block_on(plan(policy).call_async(async || Ok(7)))
        };
        assert_eq!(result, Ok(7));
    }
}
