//! The vectors of HTTP statuses and of header fields as requests.

use anyhow::Result;
use backoff_core::{MAX_NS, Outcome};
use serde::Deserialize;

use super::case::Case;
use super::plan::Plan;
use super::request::{Request, Response, quoted};
use super::vectors::cases;

/// A longer wait may be rounded to a millisecond, but not above the longest.
const EXACT_NS: u64 = 1 << 53;
const NS_PER_MS: u64 = 1_000_000;

#[derive(Deserialize)]
struct StatusCase {
    id: String,
    why: String,
    status: u16,
    outcome: String,
}

#[derive(Deserialize)]
struct ResponseCase {
    id: String,
    why: String,
    status: u16,
    fields: String,
    now: String,
    retry_after: Option<String>,
}

/// Adds the requests of these vectors.
pub(crate) fn add(plan: &mut Plan) -> Result<()> {
    for StatusCase { id, why, status, outcome } in cases::<StatusCase>("http_statuses")? {
        let response = Response { status, fields: "", now: "0" };
        let expected = format!(r#"{{"outcome":"{outcome}","retry_after":null}}"#);
        push(plan, "14.4", format!("http_statuses/{id}"), why, response, expected)?;
    }
    for case in cases::<ResponseCase>("http_responses")? {
        let wait = case.retry_after.as_deref().map(str::parse).transpose()?.unwrap_or(0);
        let is_rounded = wait >= EXACT_NS && !wait.is_multiple_of(NS_PER_MS) && wait != MAX_NS;
        if is_rounded || case.now.parse::<u64>()? > MAX_NS {
            let why = "a time of a request is at most 2^63 - 1, and a long wait may be rounded";
            plan.skip("14.5", 1, "header fields", why);
            continue;
        }
        let outcome = Outcome::from_http_status(case.status);
        let wait = quoted(case.retry_after.as_deref());
        let expected = format!(r#"{{"outcome":"{outcome}","retry_after":{wait}}}"#);
        let response = Response { status: case.status, fields: &case.fields, now: &case.now };
        push(plan, "14.5", format!("http_responses/{}", case.id), case.why, response, expected)?;
    }
    Ok(())
}

fn push(
    plan: &mut Plan,
    clause: &'static str,
    id: String,
    why: String,
    response: Response,
    expected: String,
) -> Result<()> {
    let request = Request { response: Some(response), ..Request::default() }.line()?;
    plan.cases.push(Case::new(clause, id, why, request, expected));
    Ok(())
}
