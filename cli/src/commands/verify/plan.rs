//! What is asked, and what cannot be asked.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use backoff_core::{Budget, Policy};
use serde::Serialize;

use super::{clauses, decisions, delays, insight, protocol, strings};

/// A request and its answer.
pub(crate) struct Case {
    pub(crate) clause: &'static str,
    /// File, case, and which part of the case, as in `jitters/full[3]`.
    pub(crate) id: String,
    pub(crate) why: String,
    /// A line, without its line feed. Some requests are not UTF-8.
    pub(crate) request: Vec<u8>,
    /// The line that must be answered, without its line feed.
    pub(crate) expected: String,
}

impl Case {
    /// The request as text, or in hexadecimal if it is not UTF-8.
    pub(crate) fn request_text(&self) -> RequestText<'_> {
        let request = std::str::from_utf8(&self.request).ok();
        let digit = |nibble: u8| char::from_digit(nibble.into(), 16).unwrap_or_default();
        let hex = self.request.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]);
        let request_hex = request.is_none().then(|| hex.collect());
        RequestText { request, request_hex }
    }
}

/// One of the two.
#[derive(Serialize)]
pub(crate) struct RequestText<'a> {
    request: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_hex: Option<String>,
}

/// Vectors that have no request.
#[derive(Serialize)]
pub(crate) struct Unchecked {
    pub(crate) clause: &'static str,
    pub(crate) count: usize,
    pub(crate) what: &'static str,
    pub(crate) why: &'static str,
}

/// All requests, by clause, and the vectors that have none.
pub(crate) struct Plan {
    pub(crate) cases: Vec<Case>,
    pub(crate) unchecked: Vec<Unchecked>,
}

impl Plan {
    /// The requests that every vector gives, and those of the protocol.
    pub(crate) fn new() -> Result<Self> {
        let mut plan = Self { cases: Vec::new(), unchecked: Vec::new() };
        delays::add(&mut plan)?;
        strings::add(&mut plan)?;
        decisions::add(&mut plan)?;
        insight::add(&mut plan)?;
        protocol::add(&mut plan);
        plan.cases.sort_by_key(|case| clauses::order(case.clause));
        plan.unchecked.sort_by_key(|unchecked| clauses::order(unchecked.clause));
        Ok(plan)
    }

    /// Leaves the requests of some clauses.
    pub(crate) fn only(&mut self, clauses: &[String]) {
        let is_kept = |clause| clauses.iter().any(|outer| clauses::is_within(clause, outer));
        self.cases.retain(|case| is_kept(case.clause));
        self.unchecked.retain(|unchecked| is_kept(unchecked.clause));
    }

    /// Counts vectors that have no request.
    pub(crate) fn skip(
        &mut self,
        clause: &'static str,
        count: usize,
        what: &'static str,
        why: &'static str,
    ) {
        let known = self.unchecked.iter_mut().find(|other| (other.what, other.why) == (what, why));
        match known {
            Some(known) => known.count += count,
            None if count == 0 => {}
            None => self.unchecked.push(Unchecked { clause, count, what, why }),
        }
    }
}

/// A request as its members. A member that is `None` is left out.
#[derive(Default, Serialize)]
pub(crate) struct Request<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) policy: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) budget: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) seed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) index: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) preview: Option<BTreeMap<&'static str, u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fit: Option<insight::Fit<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) steps: Option<Vec<decisions::Asked<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) retry_after: Option<insight::Header<'a>>,
}

impl Request<'_> {
    /// The line of the request.
    pub(crate) fn line(&self) -> Result<Vec<u8>> {
        Ok(serde_json::to_vec(self)?)
    }
}

/// The policy of a string of the vectors.
pub(crate) fn policy(text: &str) -> Result<Policy> {
    Policy::parse(text).with_context(|| format!("the policy {text:?} of the vectors"))
}

/// The canonical form of a budget string of the vectors.
pub(crate) fn canonical_budget(text: &str) -> Result<String> {
    let budget = Budget::parse(text).with_context(|| format!("the budget {text:?}"))?;
    Ok(budget.to_string())
}
