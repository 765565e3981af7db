//! Istio: `retries` of a route of a `VirtualService`, and `trafficPolicy` of a `DestinationRule`.
//!
//! Istio configures Envoy, whose longest interval is then ten times the shortest.

use backoff_core::ffi::budget_value;
use backoff_core::{Budget, Field, Policy};

use crate::envoy::{Limit, check, concurrent_limit, doubling, limit, retry_budget};
use crate::error::ImportError;
use crate::json::{self, Object};
use crate::source::Source;
use crate::text::{MS, read_go_duration, seconds};

/// The numbers of Istio that are of type `int32`.
const MAX: u64 = i32::MAX as u64;
/// The default of Envoy.
const BACKOFF_NS: u64 = 25 * MS;
/// The default of `minRetryConcurrency`, which 0 stands for.
const MIN_CONCURRENT: u64 = 3;
/// As many as Envoy can count: no limit.
const NO_LIMIT: u64 = u32::MAX as u64;

pub(crate) fn write(source: &mut Source<'_>, budget: Option<&Budget>) -> String {
    check(source, MAX);
    source.no_max_elapsed("the timeout of a route");
    if source.max_retries().is_none() {
        // Refused already; the cap has no equivalent either way.
        return String::new();
    }
    let policy = match traffic_policy(source, budget) {
        Some(policy) => format!(",\n  \"trafficPolicy\": {policy}"),
        None => String::new(),
    };
    format!(
        r#"{{
  "retries": {{
    "attempts": {},
    "backoff": "{}",
    "retryOn": "connect-failure,refused-stream,reset,408,429,500,502,503,504"
  }}{policy}
}}
"#,
        source.policy.max_retries(),
        seconds(source.get(Field::Base)),
    )
}

/// The traffic policy that says a budget. Without one, Istio has no limit.
fn traffic_policy(source: &mut Source<'_>, budget: Option<&Budget>) -> Option<String> {
    let given = budget?;
    let min_concurrent = budget_value(given, Field::MinConcurrent).unwrap_or_default();
    match limit(source, budget)? {
        _ if min_concurrent == 0 => {
            source.refuse_budget(given, "0 stands for its default; set min_concurrent=1");
            None
        }
        Limit::Concurrent(retries) if retries > MAX => {
            source.refuse_budget(given, format!("maxRetries is at most {MAX}"));
            None
        }
        Limit::Concurrent(retries) => {
            Some(format!(r#"{{"connectionPool": {{"http": {{"maxRetries": {retries}}}}}}}"#))
        }
        Limit::Budget { percent, min_concurrent } => Some(format!(
            r#"{{"retryBudget": {{"percent": {percent}, "minRetryConcurrency": {min_concurrent}}}}}"#
        )),
    }
}

pub(crate) fn read(text: &str) -> Result<(Policy, Option<Budget>), ImportError> {
    let value = json::parse(text)?;
    let route = json::object(&value)?;
    let retries = route.need_object("retries")?;
    retries.only(&[
        "attempts",
        "backoff",
        "retry_on",
        "per_try_timeout",
        "retry_remote_localities",
        "retry_ignore_previous_hosts",
    ])?;
    let attempts = retries.get("attempts").map(|node| node.count(0, MAX)).transpose()?;
    let backoff = retries.get("backoff");
    let backoff = backoff.map(|node| node.duration(read_go_duration)).transpose()?;
    let backoff = backoff.unwrap_or(BACKOFF_NS);
    let policy = doubling(backoff, None, attempts.unwrap_or_default(), &retries.at)?;
    let traffic = route.get("traffic_policy").map(|node| node.object()).transpose()?;
    Ok((policy, traffic.map_or(Ok(None), |traffic| traffic_budget(&traffic))?))
}

/// The budget of a traffic policy.
fn traffic_budget(traffic: &Object<'_>) -> Result<Option<Budget>, ImportError> {
    if let Some(node) = traffic.get("retry_budget") {
        let budget = node.object()?;
        let min_concurrent = budget.get("min_retry_concurrency");
        let is_zero = min_concurrent.map(|node| node.count(0, NO_LIMIT)).transpose()? == Some(0);
        if is_zero {
            let reason = format!("minRetryConcurrency 0 stands for {MIN_CONCURRENT}; remove it");
            return Err(budget.error(reason));
        }
        return retry_budget(&budget, budget.get("percent").as_ref()).map(Some);
    }
    let pool = traffic.get("connection_pool").map(|node| node.object()).transpose()?;
    let http = pool.and_then(|pool| pool.get("http")).map(|node| node.object()).transpose()?;
    let retries = http.and_then(|http| http.get("max_retries"));
    let Some(retries) = retries else { return Ok(None) };
    match retries.count(0, MAX)? {
        0 => Ok(None),
        count => concurrent_limit(count, &retries.at),
    }
}
