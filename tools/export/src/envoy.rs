//! Envoy: `retry_policy` of a route and `circuit_breakers` of a cluster.
//!
//! A retry waits a random number of whole milliseconds below a window, which doubles from
//! `base_interval` to `max_interval`.

use backoff_core::{Budget, Field, FieldValue, MAX_NS, Policy, Ratio};

use crate::error::ImportError;
use crate::fields::{count_of, ratio_of};
use crate::found::Found;
use crate::json::{Node, Object};
use crate::limits::{self, Ends};
use crate::policy::Read;
use crate::source::{Hints, Source};
use crate::text::{MS, ns, percent, read_seconds, seconds};

/// The defaults of a retry policy.
const NUM_RETRIES: u64 = 1;
pub(crate) const BASE_NS: u64 = 25 * MS;
const MAX_INTERVALS: u64 = 10;
/// The default of concurrent retries of a cluster.
const MAX_RETRIES: u64 = 3;
/// The defaults of `retry_budget`.
pub(crate) const MIN_CONCURRENT: u64 = 3;
/// The default of the timeout of a route.
const ROUTE_TIMEOUT_NS: u64 = 15_000 * MS;
/// As many as Envoy can count: no limit.
pub(crate) const NO_LIMIT: u64 = u32::MAX as u64;
/// Of an interval: whole milliseconds, an even number of them.
const MAX_INTERVAL_NS: u64 = MAX_NS.saturating_sub(MAX_NS.rem_euclid(2 * MS));

pub(crate) fn write(source: &mut Source<'_>, budget: Option<&Budget>) -> String {
    check(source, NO_LIMIT);
    let limit_of_attempt = attempt_timeout(source).map_or_else(String::new, |limit| {
        format!(",\n    \"per_try_timeout\": \"{}\"", seconds(limit))
    });
    if source.ns(Field::AttemptTimeout) >= ROUTE_TIMEOUT_NS
        && source.ns(Field::AttemptTimeout) != MAX_NS
    {
        source.warn(
            "Envoy ignores a per_try_timeout that is not below the timeout of the route, which is 15s \
             by default; raise that, or set it to 0s",
        );
    }
    source.no_max_elapsed("the timeout of a route");
    let cap = source.cap_or_last_window("a max_interval", MAX_INTERVAL_NS);
    let limit = budget.and_then(|budget| limit(source, budget));
    let breakers = limit.map(|limit| breakers(source, &limit)).unwrap_or_default();
    if breakers.is_empty() && source.policy.max_retries() > 0 {
        // Without a word the text would leave the limit, or with one remove it.
        source.warn(
            "the policy does not limit how many retries run at once, but Envoy does: by default 3 for \
             each cluster; a budget of the kind concurrent sets another limit",
        );
    }
    // Not 425, after which it retries at once.
    format!(
        r#"{{
  "retry_policy": {{
    "retry_on": "connect-failure,refused-stream,reset,retriable-status-codes",
    "retriable_status_codes": [408, 429, 500, 502, 503, 504],
    "num_retries": {},
    "retry_back_off": {{"base_interval": "{}", "max_interval": "{}"}}{limit_of_attempt}
  }}{breakers}
}}
"#,
        source.policy.max_retries(),
        seconds(source.ns(Field::Base)),
        seconds(cap),
    )
}

/// The limit of an attempt, which Envoy and Istio count in milliseconds.
pub(crate) fn attempt_timeout(source: &mut Source<'_>) -> Option<u64> {
    source.attempt_timeout(MS, MAX_INTERVAL_NS, "it counts whole milliseconds")
}

/// The circuit breakers that are a limit, with the comma before them.
fn breakers(source: &mut Source<'_>, limit: &Limit) -> String {
    let threshold = match limit {
        Limit::Concurrent(retries) => {
            if *retries == NO_LIMIT {
                source.warn(
                    "max_retries 4294967295 removes Envoy's limit on retries that run at once",
                );
            }
            format!(r#"{{"max_retries": {retries}}}"#)
        }
        Limit::Budget { percent, min_concurrent } => format!(
            r#"{{"retry_budget": {{"budget_percent": {{"value": {percent}}}, "min_retry_concurrency": {min_concurrent}}}}}"#
        ),
    };
    format!(
        r#",
  "circuit_breakers": {{
    "thresholds": [
      {threshold}
    ]
  }}"#
    )
}

/// Refuses what neither Envoy nor Istio, which configures it, has an equivalent of.
pub(crate) fn check(source: &mut Source<'_>, max_retries: u64) {
    let doubles = [Ratio::new(1, 1), Ratio::new(2, 1)];
    if !doubles.contains(&source.multiplier()) {
        let double = FieldValue::Ratio(Ratio::new(2, 1));
        source.replace(Field::Multiplier, double, "its windows double; set multiplier=2");
    }
    source.whole_ms(Field::Base);
    source.whole_ms(Field::Cap);
    source.only_common_fields();
    if source.kind(Field::Jitter) != "slotted" || source.ns(Field::JitterSlot) != MS {
        let instead =
            [(Field::Jitter, Some(FieldValue::Kind("slotted"))), (Field::JitterSlot, Some(ns(MS)))];
        source.replace_all(
            Field::Jitter,
            &instead,
            "it waits whole milliseconds from 0 to below the window; set \
             jitter=slotted,jitter_slot=1ms",
        );
    }
    source.retries_at_most(max_retries, &format!("it counts from 0 to {max_retries}"));
    source.hints(&Hints::Ignored);
}

/// A limit on the concurrent retries of a cluster.
pub(crate) enum Limit {
    Concurrent(u64),
    Budget { percent: String, min_concurrent: u64 },
}

/// The limit that says a budget, unless it is refused.
pub(crate) fn limit(source: &mut Source<'_>, budget: &Budget) -> Option<Limit> {
    if budget.kind() != "concurrent" {
        source.refuse_budget(budget, None, "its budget is of the kind concurrent");
        return None;
    }
    let (ratio, min_concurrent) = (ratio_of(budget), count_of(budget, Field::MinConcurrent));
    if ratio.numerator() == 0 {
        return Some(Limit::Concurrent(min_concurrent));
    }
    let percent = percent(ratio);
    if percent.is_none() {
        // Less is granted, not more.
        let millionths = u64::from(ratio.numerator()).saturating_mul(1_000_000);
        let millionths = millionths.checked_div(ratio.denominator().into()).unwrap_or(0);
        let instead =
            format!("concurrent:ratio={millionths}/1000000,min_concurrent={min_concurrent}");
        let reason = "it takes the ratio as a decimal number of percent";
        source.refuse_budget(budget, Some(instead), reason);
    }
    Some(Limit::Budget { percent: percent?, min_concurrent })
}

/// The policy of each route and virtual host.
pub(crate) fn find(root: &Node<'_>) -> Result<Vec<Found>, ImportError> {
    let objects = root.objects();
    let found = objects.iter().filter_map(|route| {
        let policy = route.get("retry_policy")?;
        let read = policy.object().and_then(|policy| {
            Ok((read(&policy)?, breakers_budget(breakers_of(&objects, route)?.as_ref())?))
        });
        Some(Found::new(&policy.at, read).warn(warnings(route, &policy)))
    });
    let found: Vec<_> = found.collect();
    if found.is_empty() { Err(root.error("retry_policy is missing")) } else { Ok(found) }
}

fn warnings(route: &Object<'_>, policy: &Node<'_>) -> Vec<String> {
    let mut all =
        limits::of(route, ["timeout", "idle_timeout"].map(|name| (name, Ends::Operation)));
    let stream = route.get("max_stream_duration").and_then(|node| node.object().ok());
    if let Some(stream) = stream {
        all.extend(limits::of(&stream, [("max_stream_duration", Ends::Operation)]));
    }
    if let Ok(policy) = policy.object() {
        all.extend(limits::of(&policy, [("per_try_idle_timeout", Ends::Attempt)]));
    }
    all
}

/// The circuit breakers beside a route, or those of its cluster if the text has it.
fn breakers_of<'a>(
    objects: &[Object<'a>],
    route: &Object<'a>,
) -> Result<Option<Object<'a>>, ImportError> {
    let name = |object: &Object<'a>, member| {
        object.get(member).and_then(|node| node.text().ok().map(str::to_owned))
    };
    let of_cluster = name(route, "cluster").and_then(|cluster| {
        let mut all = objects.iter().filter(|object| object.get("circuit_breakers").is_some());
        all.find(|object| name(object, "name").as_ref() == Some(&cluster))
    });
    let holder = if route.get("circuit_breakers").is_some() { Some(route) } else { of_cluster };
    holder.and_then(|holder| holder.get("circuit_breakers")).map(|node| node.object()).transpose()
}

fn read(policy: &Object<'_>) -> Result<Policy, ImportError> {
    policy.only(&[
        "retry_on",
        "num_retries",
        "retry_back_off",
        "retriable_status_codes",
        "retriable_headers",
        "retriable_request_headers",
        "per_try_timeout",
        "per_try_idle_timeout",
        "retry_priority",
        "retry_host_predicate",
        "retry_options_predicates",
        "host_selection_retry_max_attempts",
    ])?;
    let retries = policy.read("num_retries", |node| node.count(0, NO_LIMIT))?;
    let (mut base, mut cap, mut at) = (BASE_NS, None, policy.at.clone());
    if let Some(node) = policy.get("retry_back_off") {
        let interval = node.object()?;
        interval.only(&["base_interval", "max_interval"])?;
        base = interval.need("base_interval")?.duration(read_seconds)?;
        cap = interval.read("max_interval", |node| node.duration(read_seconds))?;
        at = node.at;
    }
    // Without a condition nothing is retried, unless a request has a header that asks for it.
    let conditions = policy.read("retry_on", Node::text)?;
    let is_on = conditions.is_some_and(|conditions| !conditions.trim().is_empty());
    let limit = policy.read("per_try_timeout", |node| node.duration(read_seconds))?;
    doubling(base, cap, if is_on { retries.unwrap_or(NUM_RETRIES) } else { 0 }, limit, &at)
}

/// The policy of windows that double up to a cap, ten times the base if there is none.
pub(crate) fn doubling(
    base: u64,
    cap: Option<u64>,
    retries: u64,
    limit_of_attempt: Option<u64>,
    at: &str,
) -> Result<Policy, ImportError> {
    let error = |reason: &str| ImportError::new(at, reason);
    let cap = cap.unwrap_or(base.saturating_mul(MAX_INTERVALS));
    if base == 0 || base.rem_euclid(MS) != 0 || cap.rem_euclid(MS) != 0 || cap < base {
        return Err(error("the intervals are not whole milliseconds from 1ms, in ascending order"));
    }
    // From half of an odd cap, rounded down, Envoy goes to the cap at once.
    let doublings = cap.div_euclid(base).ilog2();
    let last = base.checked_shl(doublings).unwrap_or(cap);
    let skips = last == cap.saturating_sub(MS) && last > base;
    if skips && u64::from(doublings) < retries {
        return Err(error(
            "half of the longest interval is not a whole number of milliseconds, and the window \
             before it is not doubled but skipped; choose an even number of milliseconds",
        ));
    }
    Read::growing(base, Ratio::new(2, 1), Some(cap))
        .kind(Field::Jitter, "slotted")
        .with(Field::JitterSlot, ns(MS))
        .with(Field::MaxRetries, FieldValue::Count(retries))
        .with(Field::RetryAfterMax, ns(0))
        .attempt_timeout(limit_of_attempt)
        .policy(at)
}

/// The budget that the circuit breakers of a cluster are.
fn breakers_budget(breakers: Option<&Object<'_>>) -> Result<Option<Budget>, ImportError> {
    let thresholds = breakers.and_then(|breakers| breakers.get("thresholds"));
    let mut chosen = None;
    for node in thresholds.map_or(Ok(Vec::new()), |node| node.array())? {
        let threshold = node.object()?;
        let priority = threshold.read("priority", Node::text)?;
        if priority.is_none_or(|priority| priority == "DEFAULT") && chosen.is_none() {
            chosen = Some(threshold);
        }
    }
    let Some(threshold) = chosen else { return Ok(Some(concurrent(None, MAX_RETRIES, "")?)) };
    if let Some(node) = threshold.get("retry_budget") {
        let budget = node.object()?;
        let percent = budget.read("budget_percent", Node::object)?;
        let percent = percent.and_then(|percent| percent.get("value"));
        return retry_budget(&budget, percent.as_ref()).map(Some);
    }
    let retries = threshold.read("max_retries", |node| node.count(0, NO_LIMIT))?;
    concurrent_limit(retries.unwrap_or(MAX_RETRIES), &threshold.at)
}

/// The budget of a number of concurrent retries; none if that is no limit.
pub(crate) fn concurrent_limit(retries: u64, at: &str) -> Result<Option<Budget>, ImportError> {
    if retries == NO_LIMIT { Ok(None) } else { concurrent(None, retries, at).map(Some) }
}

/// The budget of an object with a percentage, which is that of the cluster unless it is missing.
pub(crate) fn retry_budget(
    budget: &Object<'_>,
    percent: Option<&Node<'_>>,
) -> Result<Budget, ImportError> {
    if let Some(interval) = budget.get("budget_interval")
        && interval.duration(read_seconds)? != 0
    {
        return Err(interval.error("a budget counts the requests that are active"));
    }
    let ratio = percent.map_or(Ok(Ratio::new(1, 5)), Node::percent)?;
    let min_concurrent = budget.read("min_retry_concurrency", |node| node.count(0, NO_LIMIT))?;
    concurrent(Some(ratio), min_concurrent.unwrap_or(MIN_CONCURRENT), &budget.at)
}

fn concurrent(ratio: Option<Ratio>, min_concurrent: u64, at: &str) -> Result<Budget, ImportError> {
    let ratio = ratio.unwrap_or(Ratio::new(0, 1));
    let (numerator, denominator) = (ratio.numerator(), ratio.denominator());
    let text =
        format!("concurrent:ratio={numerator}/{denominator},min_concurrent={min_concurrent}");
    Budget::parse(text).map_err(|error| ImportError::new(at, error.to_string()))
}
