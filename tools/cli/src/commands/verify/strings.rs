//! The vectors of policy strings, budget strings and invalid policies as requests.

use anyhow::{Context, Result};
use backoff_core::RandomStream;
use backoff_core::ffi::{self, Unit};
use serde::Deserialize;

use super::case::Case;
use super::clauses;
use super::plan::Plan;
use super::request::{Request, delay, policy};
use super::vectors::{Error, Fields, Of, cases};

/// A policy for requests that are about something else, and its canonical form.
const ANY_POLICY: &str = "none";
const ANY_CANONICAL: &str = "constant:base=0s";

#[derive(Deserialize)]
struct TextCase {
    id: String,
    why: String,
    of: Of,
    text: String,
    canonical: String,
}

#[derive(Deserialize)]
struct PresetCase {
    id: String,
    why: String,
    of: Of,
    preset: String,
    string: String,
    canonical: String,
    #[serde(default)]
    windows: Vec<String>,
}

#[derive(Deserialize)]
struct TextErrorCase {
    id: String,
    why: String,
    of: Of,
    text: String,
    error: Error,
}

#[derive(Deserialize)]
struct ErrorCase {
    id: String,
    why: String,
    policy: Fields,
    error: Error,
}

/// Adds the requests of these vectors.
pub(crate) fn add(plan: &mut Plan) -> Result<()> {
    for case in cases::<TextCase>("texts")? {
        let clause = clauses::of_text(case.of, &case.id);
        let id = format!("texts/{}", case.id);
        plan.cases.push(valid(clause, id, case.why, case.of, &case.text, &case.canonical)?);
        let fields = usize::from(case.of == Of::Policy);
        plan.skip("11.3", fields, "lists of fields", "the protocol answers canonical strings");
    }
    for case in cases::<PresetCase>("presets")? {
        let clause = clauses::of_preset(case.of);
        for (name, text) in [("preset", &case.preset), ("string", &case.string)] {
            let (id, why) = (format!("presets/{}.{name}", case.id), case.why.clone());
            plan.cases.push(valid(clause, id, why, case.of, text, &case.canonical)?);
        }
        plan.skip("5.3", case.windows.len(), "windows", "the protocol asks for delays alone");
    }
    for case in cases::<TextErrorCase>("text_errors")? {
        let at = case.error.at.context("a position")?;
        let clause = clauses::of_text_error(case.of, &case.error);
        let id = format!("text_errors/{}", case.id);
        plan.cases.push(invalid(clause, id, case.why, case.of, &case.text, &case.error.code, at)?);
        skip_details(plan);
    }
    for case in cases::<ErrorCase>("errors")? {
        skip_details(plan);
        let Some((text, at)) = invalid_text(&case.policy, &case.error) else {
            plan.skip("8.2", 1, "policies as fields", "no string has these fields and this error");
            continue;
        };
        let clause = clauses::of_error(&case.error, &case.policy);
        let id = format!("errors/{}", case.id);
        plan.cases.push(invalid(clause, id, case.why, Of::Policy, &text, &case.error.code, at)?);
    }
    Ok(())
}

/// What an error tells besides its code and its position.
fn skip_details(plan: &mut Plan) {
    let why = "the protocol answers with code and position";
    plan.skip("8.8", 1, "messages, fields, values and limits of errors", why);
}

fn valid(
    clause: &'static str,
    id: String,
    why: String,
    of: Of,
    text: &str,
    canonical: &str,
) -> Result<Case> {
    if of == Of::Policy {
        // A delay is the form that every evaluator has first.
        let request = Request { policy: Some(text), ..Request::default() };
        let ns = policy(canonical)?.delay_ns(RandomStream::from_seed(0), 0);
        let mut case = delay(clause, id, why, &request, "")?;
        case.expected = format!(r#"{{"canonical":"{canonical}","delay_ns":"{ns}"}}"#);
        return Ok(case);
    }
    let expected =
        format!(r#"{{"canonical":"{ANY_CANONICAL}","budget":"{canonical}","answers":[]}}"#);
    Ok(Case::new(clause, id, why, of_budget(text).line()?, expected))
}

fn invalid(
    clause: &'static str,
    id: String,
    why: String,
    of: Of,
    text: &str,
    code: &str,
    at: usize,
) -> Result<Case> {
    let (request, of) = match of {
        Of::Policy => (Request { policy: Some(text), ..Request::default() }, ""),
        Of::Budget => (of_budget(text), r#","of":"budget""#),
    };
    let expected = format!(r#"{{"error":"{code}","at":{at}{of}}}"#);
    Ok(Case::new(clause, id, why, request.line()?, expected))
}

fn of_budget(text: &str) -> Request<'_> {
    let steps = Some(Vec::new());
    Request { policy: Some(ANY_POLICY), budget: Some(text), steps, ..Request::default() }
}

/// A policy string, and where the keys of its pairs are.
pub(crate) struct Written {
    pub(crate) text: String,
    keys: Vec<(String, usize)>,
}

/// The string that sets some fields, if there is one: kinds have names.
pub(crate) fn text_of(policy: &Fields) -> Option<Written> {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let growth = policy.get("growth").filter(|growth| !is_number(growth))?;
    let mut written = Written { text: growth.clone(), keys: Vec::new() };
    for (field, value) in policy.iter().filter(|(field, _)| *field != "growth") {
        let unit = match field.as_str() {
            "jitter" | "cap_on" | "retry_after" if is_number(value) => return None,
            name if is_duration(name) => "ns",
            _ => "",
        };
        written.text.push(if written.keys.is_empty() { ':' } else { ',' });
        written.keys.push((field.clone(), written.text.len()));
        written.text.extend([field, "=", value, unit]);
    }
    Some(written)
}

fn is_duration(name: &str) -> bool {
    let unit = ffi::field_from_name(name).map(ffi::field_unit);
    unit == Some(Unit::Duration)
}

/// The string of an invalid policy, and the position of its error (SPEC 11.6).
fn invalid_text(policy: &Fields, error: &Error) -> Option<(String, usize)> {
    let Written { text, keys } = text_of(policy)?;
    let field = error.field.as_deref()?;
    // Reading finds these before clause 8 finds anything (SPEC 11.5).
    let zero = policy.iter().find(|(_, value)| value.ends_with("/0"));
    if zero.is_some_and(|(zero, _)| (zero.as_str(), "zero_denominator") != (field, &error.code)) {
        return None;
    }
    let at = match keys.iter().find(|(key, _)| key == field) {
        Some((_, at)) if error.code == "unused" || error.code == "given_twice" => *at,
        Some((key, at)) => at + key.len() + "=".len(),
        None if field == "growth" => 0,
        None => text.len(),
    };
    Some((text, at))
}
