//! Operations, budgets, `Retry-After` headers and HTTP statuses.

use std::collections::BTreeMap;

use backoff_core::{
    Budget, Decision, Operation, Outcome, Policy, http_retry_after_ns, is_idempotent_method,
    parse_retry_after_ns,
};
use serde::Deserialize;

use crate::script::{Action, Script, Step, outcome};
use crate::vectors::{cases, number, stream};

#[test]
fn decisions() {
    for case in cases::<Script>("decisions") {
        let policy = Policy::parse(&case.policy).unwrap();
        let budget = case.budget.map(|text| Budget::parse(text).unwrap());
        let budget = budget.as_ref();
        let stream = stream(&case.seed, case.key.as_deref());
        let mut operations = BTreeMap::new();
        for (step_number, Step { operation, action }) in case.steps.iter().enumerate() {
            let at = format!("{} step {step_number}", case.id);
            if let Action::Begin { now, deadline } = action {
                let deadline = deadline.as_deref().map(number);
                let begun = Operation::begin(policy, stream, number(now), deadline, budget);
                operations.insert(*operation, begun);
                continue;
            }
            let operation = operations.get_mut(operation).unwrap();
            let decided = match action {
                Action::Begin { .. } => unreachable!(),
                Action::Outcome { now, outcome: name, retry_after, answer, retries } => {
                    let retry_after = retry_after.as_deref().map(number);
                    let decision =
                        operation.decide(outcome(name), retry_after, number(now), budget);
                    assert_eq!(decision, answer.decision(), "{at}");
                    assert_eq!(operation.retries(), *retries, "{at}");
                    assert_eq!(operation.attempts(), *retries + 1, "{at}");
                    decision
                }
                Action::Cancel { answer, .. } => {
                    let reason = operation.cancel(budget);
                    let decision = Decision::Stop { reason, delay_ns: 0 };
                    assert_eq!(decision, answer.decision(), "{at}");
                    decision
                }
            };
            assert_eq!(operation.reason(), decided.stop_reason(), "{at}");
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    value: String,
    now: String,
    retry_after: Option<String>,
}

#[test]
fn retry_after_headers() {
    for case in cases::<Header>("retry_after") {
        let retry_after = parse_retry_after_ns(&case.value, number(&case.now));
        assert_eq!(retry_after, case.retry_after.as_deref().map(number), "{}", case.id);
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
struct HttpResponse {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    status: u16,
    fields: String,
    now: String,
    retry_after: Option<String>,
}

#[test]
fn http_responses() {
    for case in cases::<HttpResponse>("http_responses") {
        let retry_after = http_retry_after_ns(case.status, &case.fields, number(&case.now));
        assert_eq!(retry_after, case.retry_after.as_deref().map(number), "{}", case.id);
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HttpMethod {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    method: String,
    idempotent: bool,
}

#[test]
fn http_methods() {
    for case in cases::<HttpMethod>("http_methods") {
        assert_eq!(is_idempotent_method(&case.method), case.idempotent, "{}", case.id);
    }
}
