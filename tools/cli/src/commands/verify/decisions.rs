//! The vectors of operations as requests.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use backoff_core::MAX_NS;
use serde::Deserialize;

use super::case::Case;
use super::clauses;
use super::plan::Plan;
use super::request::{Asked, Request, canonical_budget, policy, quoted, stream};
use super::vectors::{Ignored, cases};

#[derive(Deserialize)]
struct Decisions {
    id: String,
    why: String,
    policy: String,
    budget: Option<String>,
    seed: String,
    key: Option<String>,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    operation: u32,
    #[serde(rename = "do")]
    action: String,
    now: String,
    deadline: Option<String>,
    outcome: Option<String>,
    retry_after: Option<String>,
    answer: Option<Answer>,
    retries: Option<u64>,
}

#[derive(Deserialize)]
struct Answer {
    wait: Option<String>,
    stop: Option<String>,
    delay: Option<String>,
}

/// Adds the requests of these vectors.
pub(crate) fn add(plan: &mut Plan) -> Result<()> {
    for case in cases::<Decisions>("decisions")? {
        let is_retry_after = case.steps.iter().any(|step| step.retry_after.is_some());
        let cancels = case.steps.iter().any(|step| step.action == "cancel");
        let clause = clauses::of_decisions(case.budget.is_some(), is_retry_after, cancels);
        let Some(steps) = case.steps.iter().map(asked).collect::<Result<Option<Vec<_>>>>()? else {
            plan.skip("13.1", 1, "operations", "a time of a request is at most 2^63 - 1");
            continue;
        };
        let (seed, key) = stream(&case.seed, case.key.as_deref())?;
        let request = Request {
            policy: Some(&case.policy),
            budget: case.budget.as_deref(),
            seed: Some(seed),
            key,
            steps: Some(steps),
            ..Request::default()
        };
        let canonical = policy(&case.policy)?;
        let budget = case.budget.as_deref().map(canonical_budget).transpose()?;
        let budget = quoted(budget.as_deref());
        let answers = answers_to(&case.steps).join(",");
        let expected =
            format!(r#"{{"canonical":"{canonical}","budget":{budget},"answers":[{answers}]}}"#);
        let request = request.line()?;
        let id = format!("decisions/{}", case.id);
        plan.cases.push(Case::new(clause, id, case.why, request, expected));
    }
    let methods = cases::<Ignored>("http_methods")?.len();
    plan.skip("14.6", methods, "methods of HTTP", "the protocol has no methods");
    let requests = cases::<Ignored>("http_requests")?.len();
    plan.skip("19.1", requests, "requests of HTTP clients", "the protocol sends no requests");
    let loops = cases::<Ignored>("loops")?.len();
    plan.skip("18.2", loops, "loops", "the protocol calls no function");
    let resumptions = cases::<Ignored>("resumptions")?.len();
    plan.skip("13.7", resumptions, "resumptions", "the protocol resumes no operation");
    let stats = cases::<Ignored>("stats")?.len();
    plan.skip("17.2", stats, "stats", "the protocol has no stats");
    Ok(())
}

/// The step of a request, if its times can be asked.
fn asked(step: &Step) -> Result<Option<Asked<'_>>> {
    let deadline = step.deadline.as_deref();
    // An evaluator may take a deadline of `MAX_NS` for none.
    let is_late = deadline.map(ns).transpose()?.is_some_and(|deadline| deadline >= MAX_NS);
    if is_late || ns(&step.now)? > MAX_NS {
        return Ok(None);
    }
    // The bound `retry_after_max` is at most `MAX_NS`, so a longer hint acts as `MAX_NS` (13.5).
    let retry_after = step.retry_after.as_deref().map(ns).transpose()?;
    Ok(Some(Asked {
        operation: step.operation,
        action: &step.action,
        now: &step.now,
        deadline,
        outcome: step.outcome.as_deref(),
        retry_after: retry_after.map(|ns| ns.min(MAX_NS).to_string()),
    }))
}

fn ns(digits: &str) -> Result<u64> {
    digits.parse().with_context(|| format!("the time {digits}"))
}

/// The answer to each outcome and each cancellation.
fn answers_to(steps: &[Step]) -> Vec<String> {
    let mut retries = BTreeMap::<u32, u64>::new();
    let answers = steps.iter().filter_map(|step| {
        let Answer { wait, stop, delay } = step.answer.as_ref()?;
        // The vectors tell the retries after an outcome. They are the waits so far.
        let retries = retries.entry(step.operation).or_default();
        *retries = step.retries.unwrap_or(*retries);
        Some(match (wait, stop, delay) {
            (Some(wait), _, _) => format!(r#"{{"wait":"{wait}","retries":{retries}}}"#),
            (_, Some(reason), Some(delay)) => {
                format!(r#"{{"stop":"{reason}","delay":"{delay}","retries":{retries}}}"#)
            }
            _ => return None,
        })
    });
    answers.collect()
}
