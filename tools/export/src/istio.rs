//! Istio: `retries` of a route of a `VirtualService`, and `trafficPolicy` of a `DestinationRule`.
//!
//! Istio configures Envoy, whose longest interval is then ten times the shortest.

use backoff_core::{Budget, Field, Policy};

use crate::envoy::{
    BASE_NS, Limit, MIN_CONCURRENT, NO_LIMIT, attempt_timeout, check, concurrent_limit, doubling,
    limit, retry_budget,
};
use crate::error::ImportError;
use crate::fields::{count_of, ratio_of};
use crate::found::Found;
use crate::json::{Node, Object};
use crate::limits::{self, Ends};
use crate::source::Source;
use crate::text::{read_go_duration, seconds};

/// The numbers of Istio that are of type `int32`.
const MAX: u64 = i32::MAX as u64;

pub(crate) fn write(source: &mut Source<'_>, budget: Option<&Budget>) -> String {
    check(source, MAX);
    let limit = attempt_timeout(source).map_or_else(String::new, |limit| {
        format!(",\n    \"perTryTimeout\": \"{}\"", seconds(limit))
    });
    if source.policy.max_retries() == 0 {
        source.no_attempt_timeout("its validation refuses perTryTimeout beside attempts 0");
    }
    source.no_max_elapsed("the timeout of a route");
    if source.max_retries().is_none() {
        // Refused already; the cap has no equivalent either way.
        return String::new();
    }
    let policy = match traffic_policy(source, budget) {
        Some(policy) => format!(",\n  \"trafficPolicy\": {policy}"),
        None => String::new(),
    };
    let retries = match source.policy.max_retries() {
        // Its validation refuses conditions beside it.
        0 => r#"{"attempts": 0}"#.to_owned(),
        attempts => format!(
            r#"{{
    "attempts": {attempts},
    "backoff": "{}",
    "retryOn": "connect-failure,refused-stream,reset,408,429,500,502,503,504"{limit}
  }}"#,
            seconds(source.ns(Field::Base)),
        ),
    };
    format!("{{\n  \"retries\": {retries}{policy}\n}}\n")
}

/// The traffic policy that says a budget. Without one, Istio has no limit.
fn traffic_policy(source: &mut Source<'_>, budget: Option<&Budget>) -> Option<String> {
    let given = budget?;
    let min_concurrent = count_of(given, Field::MinConcurrent);
    match limit(source, given)? {
        _ if min_concurrent == 0 => {
            let ratio = ratio_of(given);
            let (numerator, denominator) = (ratio.numerator(), ratio.denominator());
            let instead = format!("concurrent:ratio={numerator}/{denominator},min_concurrent=1");
            let reason = "0 stands for its default; set min_concurrent=1";
            source.refuse_budget(given, Some(instead), reason);
            None
        }
        Limit::Concurrent(retries) if retries > MAX => {
            let instead = format!("concurrent:ratio=0,min_concurrent={MAX}");
            let reason = format!("maxRetries is at most {MAX}");
            source.refuse_budget(given, Some(instead), reason);
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

pub(crate) fn find(root: &Node<'_>) -> Result<Vec<Found>, ImportError> {
    let objects = root.objects();
    let is_kind = |object: &Object<'_>, kind: &str| {
        object.get("kind").is_some_and(|node| node.text().is_ok_and(|text| text == kind))
    };
    let rules: Vec<_> =
        objects.iter().filter(|object| is_kind(object, "DestinationRule")).collect();
    let found = objects.iter().filter_map(|route| {
        let retries = route.get("retries")?;
        let warnings = limits::of(route, [("timeout", Ends::Operation)]);
        Some(Found::new(&retries.at, read(route, &rules)).warn(warnings))
    });
    let found: Vec<_> = found.collect();
    if found.is_empty() { Err(root.error("retries is missing")) } else { Ok(found) }
}

fn read(
    route: &Object<'_>,
    rules: &[&Object<'_>],
) -> Result<(Policy, Option<Budget>), ImportError> {
    let retries = route.need_object("retries")?;
    retries.only(&[
        "attempts",
        "backoff",
        "retry_on",
        "per_try_timeout",
        "retry_remote_localities",
        "retry_ignore_previous_hosts",
    ])?;
    let attempts = retries.read("attempts", |node| node.count(0, MAX))?;
    let backoff = retries.read("backoff", |node| node.duration(read_go_duration))?;
    let limit = retries.read("per_try_timeout", |node| node.duration(read_go_duration))?;
    let (base, attempts) = (backoff.unwrap_or(BASE_NS), attempts.unwrap_or_default());
    let policy = doubling(base, None, attempts, limit, &retries.at)?;
    let traffic = route.read("traffic_policy", Node::object)?;
    let budget = match traffic {
        Some(traffic) => traffic_budget(&traffic)?,
        None => budget_of_rules(route, rules)?,
    };
    Ok((policy, budget))
}

/// The budget of the destination of a route, if the text has a rule for it.
fn budget_of_rules(
    route: &Object<'_>,
    rules: &[&Object<'_>],
) -> Result<Option<Budget>, ImportError> {
    let destinations = route.read("route", Node::array)?.unwrap_or_default();
    let mut budgets = Vec::new();
    for destination in &destinations {
        let destination = destination.object()?.need_object("destination")?;
        let host = destination.read("host", Node::text)?;
        let subset = destination.read("subset", Node::text)?;
        for rule in rules {
            let spec = rule.need_object("spec")?;
            if spec.read("host", Node::text)? == host {
                let policy = policy_of_subset(&spec, subset)?;
                budgets.push(policy.map_or(Ok(None), |policy| traffic_budget(&policy))?);
            }
        }
    }
    let is_one = budgets.len() == destinations.len();
    match (budgets.pop(), budgets.is_empty() && is_one) {
        (None, _) => Ok(None),
        (Some(budget), true) => Ok(budget),
        (Some(_), false) => Err(route.error(
            "its destinations have a budget each; import the VirtualService without the \
             DestinationRule",
        )),
    }
}

/// The traffic policy of a subset, or that of its rule.
fn policy_of_subset<'a>(
    spec: &Object<'a>,
    subset: Option<&str>,
) -> Result<Option<Object<'a>>, ImportError> {
    for node in spec.read("subsets", Node::array)?.unwrap_or_default() {
        let other = node.object()?;
        let name = other.read("name", Node::text)?;
        if name == subset
            && let Some(policy) = other.get("traffic_policy")
        {
            return policy.object().map(Some);
        }
    }
    spec.read("traffic_policy", Node::object)
}

fn traffic_budget(traffic: &Object<'_>) -> Result<Option<Budget>, ImportError> {
    if let Some(node) = traffic.get("retry_budget") {
        let budget = node.object()?;
        if budget.read("min_retry_concurrency", |node| node.count(0, NO_LIMIT))? == Some(0) {
            let reason = format!("minRetryConcurrency 0 stands for {MIN_CONCURRENT}; remove it");
            return Err(budget.error(reason));
        }
        return retry_budget(&budget, budget.get("percent").as_ref()).map(Some);
    }
    let pool = traffic.read("connection_pool", Node::object)?;
    let http = pool.map_or(Ok(None), |pool| pool.read("http", Node::object))?;
    let retries = http.and_then(|http| http.get("max_retries"));
    let Some(retries) = retries else { return Ok(None) };
    match retries.count(0, MAX)? {
        0 => Ok(None),
        count => concurrent_limit(count, &retries.at),
    }
}
