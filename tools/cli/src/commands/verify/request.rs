//! The members of a request.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use backoff_core::{Budget, Policy, RandomStream};
use serde::Serialize;

use super::case::Case;

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
    pub(crate) fit: Option<Fit<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) steps: Option<Vec<Asked<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) retry_after: Option<Header<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) response: Option<Response<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) state: Option<State<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exchange: Option<Exchange<'a>>,
}

impl Request<'_> {
    /// The line of the request.
    pub(crate) fn line(&self) -> Result<Vec<u8>> {
        Ok(serde_json::to_vec(self)?)
    }
}

/// A step of a request.
#[derive(Serialize)]
pub(crate) struct Asked<'a> {
    pub(crate) operation: u32,
    #[serde(rename = "do")]
    pub(crate) action: &'a str,
    pub(crate) now: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deadline: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) outcome: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) retry_after: Option<String>,
}

/// The member `fit` of a request.
#[derive(Serialize)]
pub(crate) struct Fit<'a> {
    pub(crate) field: &'a str,
    pub(crate) attempts: u64,
    pub(crate) total: &'a str,
}

/// The member `retry_after` of a request.
#[derive(Serialize)]
pub(crate) struct Header<'a> {
    pub(crate) value: &'a str,
    pub(crate) now: &'a str,
}

/// The member `response` of a request.
#[derive(Serialize)]
pub(crate) struct Response<'a> {
    pub(crate) status: u16,
    pub(crate) fields: &'a str,
    pub(crate) now: &'a str,
}

/// The member `state` of a request.
#[derive(Serialize)]
pub(crate) struct State<'a> {
    pub(crate) text: Option<&'a str>,
    pub(crate) events: Vec<Event<'a>>,
}

/// An event of a state.
#[derive(Serialize)]
pub(crate) struct Event<'a> {
    #[serde(rename = "event")]
    pub(crate) name: &'a str,
    pub(crate) now: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) outcome: Option<&'a str>,
    pub(crate) held: &'a str,
}

/// The member `exchange` of a request.
#[derive(Serialize)]
pub(crate) struct Exchange<'a> {
    pub(crate) local: &'a str,
    pub(crate) lease: u64,
    pub(crate) fallback: &'a str,
    pub(crate) timeout: &'a str,
    pub(crate) seed: &'a str,
    pub(crate) steps: Vec<serde_json::Map<String, serde_json::Value>>,
}

/// The request for a delay.
pub(crate) fn delay(
    clause: &'static str,
    id: String,
    why: String,
    request: &Request,
    ns: &str,
) -> Result<Case> {
    let canonical = policy(request.policy.unwrap_or_default())?;
    let expected = format!(r#"{{"canonical":"{canonical}","delay_ns":"{ns}"}}"#);
    Ok(Case::new(clause, id, why, request.line()?, expected))
}

/// A string without characters that need an escape, or null.
pub(crate) fn quoted(text: Option<&str>) -> String {
    text.map_or("null".to_owned(), |text| format!(r#""{text}""#))
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

/// The seed and the key of a request. A key that is not text becomes the seed that has its stream.
pub(crate) fn stream(seed: &str, key: Option<&str>) -> Result<(String, Option<String>)> {
    let Some(key) = key.map(bytes).transpose()? else { return Ok((seed.to_owned(), None)) };
    Ok(match String::from_utf8(key) {
        Ok(text) => (seed.to_owned(), Some(text)),
        Err(error) => {
            let stream = RandomStream::from_key(seed.parse()?, error.as_bytes());
            (stream.state().to_string(), None)
        }
    })
}

/// The bytes that hexadecimal digits are.
pub(crate) fn bytes(hexadecimal: &str) -> Result<Vec<u8>> {
    let pairs = hexadecimal.as_bytes().chunks(2);
    let byte = |pair| Ok(u8::from_str_radix(std::str::from_utf8(pair)?, 16)?);
    pairs.map(byte).collect()
}
