//! Plays the loops of `tests/vectors/loops.json` on a clock of the test, with a budget in memory and
//! with one in a file.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs;

use anyhow::{Result, bail};
use clap::Parser;
use nix::sys::signal::Signal;
use serde::Deserialize;
use serde_json::{Value, json};

use super::arguments::Arguments;
use super::attempt::{Ended, Interruption};
use super::end::End;
use super::repeat::repeat;
use super::report::Report;
use super::system::{Attempt, System};

const VECTORS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/loops.json"));

#[derive(Deserialize)]
struct File {
    count: usize,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    id: String,
    policy: String,
    budget: Option<String>,
    seed: String,
    key: Option<String>,
    loops: Vec<Script>,
}

#[derive(Deserialize)]
struct Script {
    calls: Vec<Call>,
    classified: bool,
    deadline: Option<String>,
    cancel: Option<Point>,
    fail: Option<Point>,
    delays: Option<Value>,
    limits: Vec<Option<String>>,
    waits: Vec<String>,
    events: Vec<Value>,
    ends: String,
}

#[derive(Deserialize)]
struct Call {
    takes: String,
    ends: String,
    mark: Option<String>,
    outcome: Option<String>,
    retry_after: Option<String>,
}

#[derive(Deserialize)]
struct Point {
    #[serde(rename = "where")]
    place: String,
    call: usize,
    after: Option<String>,
}

#[derive(Parser)]
struct CommandLine {
    #[command(flatten)]
    arguments: Arguments,
}

/// A system in which nothing happens but what the script says.
struct Scene<'a> {
    script: &'a Script,
    now_ns: &'a Cell<u64>,
    calls: Cell<usize>,
    waits: RefCell<Vec<String>>,
}

impl Scene<'_> {
    /// Whether a point of the script is here.
    fn is_at(&self, point: Option<&Point>, places: &[&str]) -> bool {
        let call = self.calls.get().saturating_sub(1);
        point.is_some_and(|point| places.contains(&&*point.place) && point.call == call)
    }

    fn pass(&self, time_ns: u64) {
        self.now_ns.set(self.now_ns.get() + time_ns);
    }
}

impl System for &Scene<'_> {
    fn now_ns(&self) -> u64 {
        self.now_ns.get()
    }

    fn unix_ns(&self) -> u64 {
        self.now_ns.get()
    }

    fn sleep(&self, duration_ns: u64) -> Result<Option<Signal>> {
        let Script { cancel, fail, .. } = self.script;
        let is_before = self.calls.get() == 0;
        let places: &[_] = if is_before { &["before"] } else { &["wait", "retry_hook"] };
        if self.is_at(fail.as_ref(), &["wait"]) && !is_before {
            bail!("the wait failed");
        }
        if self.is_at(cancel.as_ref(), places) {
            self.pass(cancel.as_ref().and_then(|point| point.after.as_deref()).map_or(0, number));
            return Ok(Some(Signal::SIGTERM));
        }
        if !is_before {
            self.pass(duration_ns);
            self.waits.borrow_mut().push(duration_ns.to_string());
        }
        Ok(None)
    }

    fn attempt(&mut self, number_of_attempt: u64, limit_ns: Option<u64>) -> Result<Attempt> {
        let at = self.calls.replace(self.calls.get() + 1);
        let (call, limit) = (&self.script.calls[at], &self.script.limits[at]);
        assert_eq!(self.calls.get() as u64, number_of_attempt);
        assert_eq!(limit_ns, limit.as_deref().map(number));
        let takes_ns = number(&call.takes);
        let cut_ns = limit_ns.filter(|&limit_ns| takes_ns > limit_ns);
        self.pass(cut_ns.unwrap_or(takes_ns));
        let is_cancelled = self.is_at(self.script.cancel.as_ref(), &["call", "classification"]);
        Ok(Attempt::Made(Ended {
            end: if cut_ns.is_some() { End::TimedOut } else { call.end() },
            retry_after_ns: call.retry_after.as_deref().filter(|_| cut_ns.is_none()).map(number),
            interruption: is_cancelled.then(|| Interruption::new(Signal::SIGTERM, true)),
        }))
    }

    fn write_output(&mut self) -> Result<Option<Signal>> {
        Ok(None)
    }

    fn warn(&mut self, _: u64) {}
}

impl Call {
    fn end(&self) -> End {
        let codes = ["success", "transient", "throttled", "timeout", "permanent"];
        let outcome = self.outcome.as_deref().unwrap();
        End::Exited(codes.iter().position(|name| *name == outcome).unwrap().try_into().unwrap())
    }
}

impl Script {
    /// Why `backoff run` cannot play it.
    fn lacks(&self) -> Option<&'static str> {
        let is_wait = |point: &Point| point.place == "wait";
        let is_other =
            |call: &Call| (call.ends == "value") != (call.outcome.as_deref() == Some("success"));
        [
            (self.deadline.is_some(), "there is no option for a deadline"),
            (self.delays.is_some(), "there is no option for own delays"),
            (!self.classified, "every exit code is classified"),
            (self.fail.as_ref().is_some_and(|it| !is_wait(it)), "no code of the caller is called"),
            (self.calls.iter().any(|call| call.mark.is_some()), "an exit code has no marks"),
            (self.calls.iter().any(is_other), "exit code 0 is the only success"),
        ]
        .into_iter()
        .find_map(|(is_lacking, why)| is_lacking.then_some(why))
    }

    fn end(&self) -> Option<End> {
        let is_between = |point: &Point| point.place != "call" && point.place != "classification";
        match &*self.ends {
            "caller" => None,
            "timeout" => Some(End::TimedOut),
            _ if self.cancel.as_ref().is_some_and(is_between) => Some(End::Killed(15)),
            _ => self.calls.last().map(Call::end),
        }
    }
}

fn number(text: &str) -> u64 {
    text.parse().unwrap()
}

fn play(case: &Case, budget_file: bool) {
    let folder = tempfile::tempdir().unwrap();
    let now_ns = Cell::new(0);
    for (index, script) in case.loops.iter().enumerate() {
        let at = format!("{}, loop {index}, budget in a file: {budget_file}", case.id);
        let [events, budget] = ["events", "budget"].map(|name| folder.path().join(name));
        let mut line = vec!["backoff", &case.policy, "--on=1", "--on-throttled=2", "--quiet"];
        let key = case.key.as_deref().map(|key| {
            let byte = |at| u8::from_str_radix(&key[at..at + 2], 16).unwrap();
            String::from_utf8((0..key.len()).step_by(2).map(byte).collect()).unwrap()
        });
        line.extend(["--on-timeout=3", "--seed", &case.seed]);
        line.extend(key.iter().flat_map(|key| ["--key", key]));
        line.extend(case.budget.iter().flat_map(|budget| ["--budget", budget]));
        if budget_file {
            line.extend(["--budget-file", budget.to_str().unwrap()]);
        }
        line.extend(["--", "command"]);
        let arguments = CommandLine::parse_from(line).arguments;
        let mut report = Report::new(false, &arguments);
        report.open(&events).unwrap();
        let (calls, waits) = Default::default();
        let scene = Scene { script, now_ns: &now_ns, calls, waits };
        let end = repeat(&arguments, &arguments.codes().unwrap(), &report, Ok(&scene));
        assert_eq!(end.ok(), script.end(), "{at}");
        assert_eq!(scene.calls.get(), script.calls.len(), "{at}");
        assert_eq!(*scene.waits.borrow(), script.waits, "{at}");
        let text = fs::read_to_string(&events).unwrap();
        fs::remove_file(&events).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let event = |line: Value| {
            let [attempts, outcome, reason] = ["attempts", "outcome", "reason"].map(|it| &line[it]);
            json!({
                "hook": line["event"], "attempts": attempts, "outcome": outcome, "reason": reason,
                "delay": line["delay_ns"], "elapsed": line["elapsed_ns"],
            })
        };
        let decisions = lines.filter(|line| line["event"] != "warning").map(event);
        assert_eq!(decisions.collect::<Vec<_>>(), script.events, "{at}");
    }
}

#[test]
fn loops_do_what_the_reference_does() {
    let File { count, cases } = serde_json::from_str(VECTORS).unwrap();
    assert_eq!(cases.len(), count);
    let (mut in_memory, mut in_file, mut skipped) = (0, 0, BTreeMap::<_, usize>::new());
    for case in &cases {
        let lacks = case.loops.iter().find_map(Script::lacks);
        let is_concurrent = case.budget.as_ref().is_some_and(|it| it.starts_with("concurrent"));
        match lacks {
            Some(why) => *skipped.entry(why).or_default() += 1,
            None if is_concurrent => *skipped.entry("slots are of one process").or_default() += 1,
            None => {
                // A budget in memory is that of one loop.
                if case.budget.is_none() || case.loops.len() == 1 {
                    play(case, false);
                    in_memory += 1;
                }
                if case.budget.is_some() {
                    play(case, true);
                    in_file += 1;
                }
            }
        }
    }
    assert_eq!((in_memory, in_file), (73, 8));
    let expected = [
        ("an exit code has no marks", 2),
        ("every exit code is classified", 3),
        ("exit code 0 is the only success", 13),
        ("no code of the caller is called", 16),
        ("slots are of one process", 2),
        ("there is no option for a deadline", 9),
        ("there is no option for own delays", 10),
    ];
    assert_eq!(skipped, BTreeMap::from(expected));
}
