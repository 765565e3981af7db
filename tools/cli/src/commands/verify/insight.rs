//! The vectors of previews, fits and Retry-After as requests.

use std::collections::BTreeMap;

use anyhow::Result;
use backoff_core::MAX_NS;
use serde::Deserialize;

use super::case::Case;
use super::clauses;
use super::plan::Plan;
use super::request::{Fit, Header, Request, policy, quoted};
use super::vectors::{Error, cases};

/// The limits of a request.
const LAST_FIRST: u64 = 10_000;
const MOST_ROWS: u64 = 1000;
const MOST_ATTEMPTS: u64 = u32::MAX as u64;

#[derive(Deserialize)]
struct PreviewCase {
    id: String,
    why: String,
    policy: String,
    first: u64,
    count: u64,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    min: String,
    mean: String,
    max: String,
    total_min: String,
    total_mean: String,
    total_max: String,
}

#[derive(Deserialize)]
struct FitCase {
    id: String,
    why: String,
    policy: String,
    field: String,
    attempts: u64,
    total: String,
    canonical: Option<String>,
    error: Option<Error>,
}

#[derive(Deserialize)]
struct HeaderCase {
    id: String,
    why: String,
    value: String,
    now: String,
    retry_after: Option<String>,
}

/// Adds the requests of these vectors.
pub(crate) fn add(plan: &mut Plan) -> Result<()> {
    for case in cases::<PreviewCase>("previews")? {
        add_preview(plan, case)?;
    }
    for case in cases::<FitCase>("fits")? {
        add_fit(plan, case)?;
    }
    for case in cases::<HeaderCase>("retry_after")? {
        let clause = clauses::of_retry_after(&case.id);
        if case.now.parse::<u64>()? > MAX_NS {
            plan.skip(
                clause,
                1,
                "values of Retry-After",
                "a time of a request is at most 2^63 - 1",
            );
            continue;
        }
        let header = Header { value: &case.value, now: &case.now };
        let request = Request { retry_after: Some(header), ..Request::default() }.line()?;
        let wait = quoted(case.retry_after.as_deref());
        let expected = format!(r#"{{"retry_after":{wait}}}"#);
        let id = format!("retry_after/{}", case.id);
        plan.cases.push(Case::new(clause, id, case.why, request, expected));
    }
    Ok(())
}

fn add_preview(plan: &mut Plan, case: PreviewCase) -> Result<()> {
    let is_decorrelated = policy(&case.policy)?.to_string().contains("jitter=decorrelated");
    let clause = clauses::of_preview(&case.id, is_decorrelated);
    if case.first > LAST_FIRST || case.count > MOST_ROWS {
        plan.skip(clause, 1, "previews", "a request asks for rows up to 11000");
        return Ok(());
    }
    let rows: Vec<_> = case.rows.iter().map(row).collect();
    let expected = format!(r#"{{"rows":[{}]}}"#, rows.join(","));
    let preview = BTreeMap::from([("first", case.first), ("count", case.count)]);
    let request =
        Request { policy: Some(&case.policy), preview: Some(preview), ..Request::default() };
    let request = request.line()?;
    let id = format!("previews/{}", case.id);
    plan.cases.push(Case::new(clause, id, case.why, request, expected));
    Ok(())
}

fn row(row: &Row) -> String {
    let delays = [&row.min, &row.mean, &row.max, &row.total_min, &row.total_mean, &row.total_max];
    format!("[{}]", delays.map(|ns| format!(r#""{ns}""#)).join(","))
}

fn add_fit(plan: &mut Plan, case: FitCase) -> Result<()> {
    if case.error.is_some() {
        plan.skip("16.5", 1, "messages of fits", "the protocol answers without them");
    }
    if case.attempts > MOST_ATTEMPTS || case.total.parse::<u64>()? > MAX_NS {
        plan.skip("16.5", 1, "fits", "a time of a request is at most 2^63 - 1");
        return Ok(());
    }
    let expected = match (case.canonical, case.error) {
        (_, Some(Error { code, field, value, limit, .. })) => {
            let field = field.unwrap_or_default();
            format!(r#"{{"error":"{code}","field":"{field}","value":"{value}","limit":"{limit}"}}"#)
        }
        (canonical, None) => format!(r#"{{"canonical":"{}"}}"#, canonical.unwrap_or_default()),
    };
    let fit = Fit { field: &case.field, attempts: case.attempts, total: &case.total };
    let request = Request { policy: Some(&case.policy), fit: Some(fit), ..Request::default() };
    let (request, id) = (request.line()?, format!("fits/{}", case.id));
    plan.cases.push(Case::new("16.5", id, case.why, request, expected));
    Ok(())
}
