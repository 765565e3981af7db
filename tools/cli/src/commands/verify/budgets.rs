//! The vectors of states of budgets and of exchanges of shared ones as requests.

use anyhow::{Context, Result};
use backoff_core::MAX_NS;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::case::Case;
use super::plan::Plan;
use super::request::{Event, Exchange, Request, State, canonical_budget};
use super::vectors::cases;

/// Why some vectors are not asked.
const LATE: &str = "a time of a request is at most 2^63 - 1";

#[derive(Deserialize)]
struct States {
    id: String,
    why: String,
    budget: String,
    start: Option<String>,
    steps: Vec<StateStep>,
}

#[derive(Deserialize)]
struct StateStep {
    event: String,
    outcome: Option<String>,
    held: String,
    now: String,
    granted: Option<bool>,
    holds: String,
    state: String,
}

#[derive(Deserialize)]
struct StateText {
    id: String,
    why: String,
    budget: String,
    text: String,
    valid: bool,
}

#[derive(Deserialize)]
struct Exchanges {
    id: String,
    why: String,
    budget: String,
    local: String,
    lease: u64,
    fallback: String,
    timeout: String,
    seed: String,
    steps: Vec<Map<String, Value>>,
    stats: Map<String, Value>,
}

/// Adds the requests of these vectors.
pub(crate) fn add(plan: &mut Plan) -> Result<()> {
    for case in cases::<StateText>("budget_state_texts")? {
        let state = State { text: Some(&case.text), events: Vec::new() };
        let budget = canonical_budget(&case.budget)?;
        let expected = if case.valid {
            format!(r#"{{"budget":"{budget}","answers":[]}}"#)
        } else {
            r#"{"error":"not_a_state","at":0,"of":"text"}"#.to_owned()
        };
        let request = of_state(&case.budget, state)?;
        let id = format!("budget_state_texts/{}", case.id);
        plan.cases.push(Case::new("15.5", id, case.why, request, expected));
    }
    for case in cases::<States>("budget_states")? {
        if !are_times(case.steps.iter().map(|step| step.now.as_str()))? {
            plan.skip("15.6", 1, "steps of budgets", LATE);
            continue;
        }
        let events = case.steps.iter().map(|step| Event {
            name: &step.event,
            now: &step.now,
            outcome: step.outcome.as_deref(),
            held: &step.held,
        });
        let state = State { text: case.start.as_deref(), events: events.collect() };
        let answers: Vec<_> = case.steps.iter().map(answer_of_state).collect();
        let (budget, answers) = (canonical_budget(&case.budget)?, answers.join(","));
        let expected = format!(r#"{{"budget":"{budget}","answers":[{answers}]}}"#);
        let request = of_state(&case.budget, state)?;
        let id = format!("budget_states/{}", case.id);
        plan.cases.push(Case::new("15.6", id, case.why, request, expected));
    }
    for case in cases::<Exchanges>("exchanges")? {
        add_exchange(plan, case)?;
    }
    Ok(())
}

fn of_state(budget: &str, state: State) -> Result<Vec<u8>> {
    Request { budget: Some(budget), state: Some(state), ..Request::default() }.line()
}

fn answer_of_state(step: &StateStep) -> String {
    let StateStep { holds, state, .. } = step;
    let granted = step.granted.map_or("null".to_owned(), |granted| granted.to_string());
    format!(r#"{{"granted":{granted},"holds":"{holds}","state":"{state}"}}"#)
}

/// Whether these are times of a request.
fn are_times<'a>(times: impl IntoIterator<Item = &'a str>) -> Result<bool> {
    for digits in times {
        if digits.parse::<u64>().with_context(|| format!("the time {digits}"))? > MAX_NS {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The arguments of each action, which a request has; the answer has the other members.
fn arguments(action: &str) -> &'static [&'static str] {
    match action {
        "note" => &["event", "held", "local", "times"],
        "request" => &["outcome", "times"],
        "cancel" => &["outcome"],
        "step" => &["text", "store_now"],
        "failed" => &["stored"],
        _ => &[],
    }
}

/// The members of an answer, in their order.
const ANSWERED: [&str; 13] = [
    "answer", "after", "changed", "steps", "granted", "refused", "held", "local", "wait", "away",
    "due_in", "unsent", "timeout",
];

/// The same of a step of an exchange.
const STEPPED: [&str; 5] = ["event", "outcome", "held", "count", "granted"];

const STATS: [&str; 5] =
    ["exchanges", "failed_exchanges", "lost_swaps", "local_decisions", "processes"];

fn add_exchange(plan: &mut Plan, case: Exchanges) -> Result<()> {
    let times = case.steps.iter().flat_map(|step| [step.get("now"), step.get("store_now")]);
    if !are_times(times.flatten().filter_map(Value::as_str))? {
        plan.skip("15.7", 1, "exchanges of shared budgets", LATE);
        return Ok(());
    }
    let mut steps = Vec::new();
    let mut answers = Vec::new();
    for step in case.steps {
        let action = step.get("do").and_then(Value::as_str).context("an action")?;
        let asked = arguments(action);
        let is_asked = |name: &str| ["do", "now"].contains(&name) || asked.contains(&name);
        let (request, answer): (Map<_, _>, Map<_, _>) =
            step.clone().into_iter().partition(|(name, _)| is_asked(name));
        steps.push(request);
        answers.push(in_order(&answer, &ANSWERED)?);
    }
    let exchange = Exchange {
        local: &case.local,
        lease: case.lease,
        fallback: &case.fallback,
        timeout: &case.timeout,
        seed: &case.seed,
        steps,
    };
    let request =
        Request { budget: Some(&case.budget), exchange: Some(exchange), ..Request::default() };
    let [budget, local] = [canonical_budget(&case.budget)?, canonical_budget(&case.local)?];
    let (answers, stats) = (answers.join(","), in_order(&case.stats, &STATS)?);
    let expected = format!(
        r#"{{"budget":"{budget}","local":"{local}","answers":[{answers}],"stats":{stats}}}"#
    );
    let id = format!("exchanges/{}", case.id);
    plan.cases.push(Case::new("15.7", id, case.why, request.line()?, expected));
    Ok(())
}

/// An object as JSON with its members in this order.
fn in_order(members: &Map<String, Value>, order: &[&str]) -> Result<String> {
    let mut rows = Vec::new();
    for name in order {
        let Some(value) = members.get(*name) else { continue };
        let text = match value.as_array() {
            Some(list) if *name == "steps" => {
                let step = |step: &Value| in_order(step.as_object().context("a step")?, &STEPPED);
                format!("[{}]", list.iter().map(step).collect::<Result<Vec<_>>>()?.join(","))
            }
            _ => value.to_string(),
        };
        rows.push(format!(r#""{name}":{text}"#));
    }
    anyhow::ensure!(rows.len() == members.len(), "unknown members: {members:?}");
    Ok(format!("{{{}}}", rows.join(",")))
}
