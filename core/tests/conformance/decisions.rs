//! Operations, budgets, hints and histories.

use std::collections::BTreeMap;

use backoff_core::{
    Budget, Decision, History, Operation, Outcome, Policy, StopReason, retry_after_ns,
};
use serde::Deserialize;

use crate::vectors::{cases, stream, word};

fn reason(name: &str) -> StopReason {
    StopReason::ALL.into_iter().find(|reason| reason.name() == name).unwrap()
}

fn outcome(name: &str) -> Outcome {
    Outcome::ALL.into_iter().find(|outcome| outcome.name() == name).unwrap()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    policy: String,
    budget: Option<String>,
    seed: String,
    key: Option<String>,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    operation: u32,
    #[serde(flatten)]
    event: Event,
}

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
enum Event {
    Begin {
        now: String,
        deadline: Option<String>,
    },
    Outcome {
        now: String,
        outcome: String,
        hint: Option<String>,
        answer: Answer,
        retries: u64,
    },
    Cancel {
        #[serde(rename = "now")]
        _now: String,
        answer: Answer,
    },
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Answer {
    Wait { wait: String },
    Stop { stop: String, delay: String },
}

impl Answer {
    fn decision(&self) -> Decision {
        match self {
            Self::Wait { wait } => Decision::Wait(word(wait)),
            Self::Stop { stop, delay } => {
                Decision::Stop { reason: reason(stop), delay_ns: word(delay) }
            }
        }
    }
}

#[test]
fn decisions() {
    for case in cases::<Script>("decisions") {
        let policy = Policy::parse(&case.policy).unwrap();
        let budget = case.budget.map(|line| Budget::parse(line).unwrap());
        let budget = budget.as_ref();
        let stream = stream(&case.seed, case.key.as_deref());
        let mut operations = BTreeMap::new();
        for (number, Step { operation, event }) in case.steps.iter().enumerate() {
            let at = format!("{} step {number}", case.id);
            if let Event::Begin { now, deadline } = event {
                let deadline = deadline.as_deref().map(word);
                let begun = Operation::begin(policy, stream, word(now), deadline, budget);
                operations.insert(*operation, begun);
                continue;
            }
            let operation = operations.get_mut(operation).unwrap();
            match event {
                Event::Begin { .. } => {}
                Event::Outcome { now, outcome: name, hint, answer, retries } => {
                    let hint = hint.as_deref().map(word);
                    let decision = operation.decide(outcome(name), hint, word(now), budget);
                    assert_eq!(decision, answer.decision(), "{at}");
                    assert_eq!(operation.retries(), *retries, "{at}");
                }
                Event::Cancel { answer, .. } => {
                    let reason = operation.cancel(budget);
                    assert_eq!(Decision::Stop { reason, delay_ns: 0 }, answer.decision(), "{at}");
                }
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RetryAfter {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    value: String,
    now: String,
    hint: Option<String>,
}

#[test]
fn retry_after() {
    for case in cases::<RetryAfter>("retry_after") {
        let hint = retry_after_ns(&case.value, word(&case.now));
        assert_eq!(hint, case.hint.as_deref().map(word), "{}", case.id);
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HttpStatus {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    status: u16,
    outcome: String,
}

#[test]
fn http_statuses() {
    for case in cases::<HttpStatus>("http_statuses") {
        assert_eq!(Outcome::from_http_status(case.status).name(), case.outcome, "{}", case.id);
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Counted {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    records: Vec<(u64, String, u64)>,
    more: Vec<(u64, String, u64)>,
    text: String,
}

#[test]
fn histories() {
    for case in cases::<Counted>("histories") {
        let recorded = |records: &[(u64, String, u64)]| {
            let history = History::new();
            for (attempts, stopped, times) in records {
                for _ in 0..*times {
                    history.record(*attempts, reason(stopped));
                }
            }
            history
        };
        let history = recorded(&case.records);
        history.merge(&recorded(&case.more));
        let text: String = history.lines().map(|line| line.as_str().to_owned() + "\n").collect();
        assert_eq!(text, case.text, "{}", case.id);
    }
}
