//! Temporal: the `RetryPolicy` of its API.
//!
//! The n-th retry waits `min(initialInterval * backoffCoefficient^(n-1), maximumInterval)`.

use backoff_core::{Budget, Field, FieldValue, MAX_NS, Policy, Ratio};

use crate::error::ImportError;
use crate::found::{Found, listed};
use crate::json::{Node, Object};
use crate::limits::{self, Ends};
use crate::policy::Read;
use crate::source::{Hints, Source};
use crate::text::{SECOND, ns, read_go_duration, read_seconds, seconds, with_point};

/// The defaults of its server.
const INITIAL_NS: u64 = SECOND;
const MAX_INTERVALS: u64 = 100;
/// The server shortens longer intervals to 100 years.
const MAX_INTERVAL_NS: u64 = 100 * 365 * 24 * 3600 * SECOND;
const MAX_ATTEMPTS: u64 = i32::MAX as u64;
const SETTINGS: [&str; 5] = [
    "initial_interval",
    "backoff_coefficient",
    "maximum_interval",
    "maximum_attempts",
    "non_retryable_error_types",
];
/// The limits beside the policy of an activity or a workflow.
const LIMITS: [(&str, Ends); 5] = [
    ("schedule_to_close_timeout", Ends::Operation),
    ("schedule_to_start_timeout", Ends::Attempt),
    ("heartbeat_timeout", Ends::Attempt),
    ("workflow_execution_timeout", Ends::Operation),
    ("workflow_run_timeout", Ends::Attempt),
];

pub(crate) fn write(source: &mut Source<'_>, budget: Option<&Budget>) -> String {
    let coefficient = with_point(source.decimal_multiplier());
    let base = source.ns(Field::Base);
    if !(1..=MAX_INTERVAL_NS).contains(&base) {
        let reason = "0 stands for 1s, and the longest interval is 100 years";
        source.replace(Field::Base, ns(base.clamp(1, MAX_INTERVAL_NS)), reason);
    }
    source.only_common_fields();
    source.no_jitter();
    let attempts = source.max_retries().map_or(0, |retries| retries.saturating_add(1));
    if attempts > MAX_ATTEMPTS {
        let reason = format!("maximumAttempts is at most {MAX_ATTEMPTS}");
        source.replace(
            Field::MaxRetries,
            FieldValue::Count(MAX_ATTEMPTS.saturating_sub(1)),
            reason,
        );
    }
    source.no_max_elapsed("the scheduleToCloseTimeout of an activity");
    source.hints(&Hints::Never);
    source.no_budget(budget);
    let setting = "a maximumInterval, 100 times the initialInterval by default";
    let cap = source.cap_or_last_window(setting, MAX_INTERVAL_NS);
    if cap > MAX_INTERVAL_NS && source.refusals.is_empty() {
        source.replace(Field::Cap, ns(MAX_INTERVAL_NS), "the longest interval is 100 years");
    }
    let limit = source.attempt_timeout(1, MAX_NS, "");
    let policy = format!(
        r#"{{
  "initialInterval": "{}",
  "backoffCoefficient": {coefficient},
  "maximumInterval": "{}",
  "maximumAttempts": {attempts}
}}"#,
        seconds(source.ns(Field::Base)),
        seconds(cap),
    );
    match limit {
        // The limit is beside the policy, in the options of an activity.
        Some(limit) => format!(
            "{{\n  \"startToCloseTimeout\": \"{}\",\n  \"retryPolicy\": {}\n}}\n",
            seconds(limit),
            policy.replace('\n', "\n  "),
        ),
        None => policy + "\n",
    }
}

/// Each `retryPolicy` of a text, or if it has none, the policy that the text is.
pub(crate) fn find(root: &Node<'_>) -> Vec<Found> {
    let found = |node: &Node<'_>, options| Found::new(&node.at, read(node, options));
    let objects = root.objects();
    let policies = objects.iter().filter_map(|options| {
        Some(found(&options.get("retry_policy")?, Some(options)).warn(limits::of(options, LIMITS)))
    });
    let policies: Vec<_> = policies.collect();
    if policies.is_empty() { vec![found(root, None)] } else { policies }
}

/// The policy, and the limit of an attempt in the options that it belongs to.
fn read(
    node: &Node<'_>,
    options: Option<&Object<'_>>,
) -> Result<(Policy, Option<Budget>), ImportError> {
    let other = |found: String| node.error(format!("not a retry policy: found {found}"));
    let policy = node.object().map_err(|_| other(node.shown()))?;
    let names = policy.names();
    if !names.is_empty() && SETTINGS.iter().all(|name| policy.get(name).is_none()) {
        return Err(other(listed(names, ", ")));
    }
    policy.only(&SETTINGS)?;
    let interval = |name| {
        let ns = policy.read(name, |node| node.duration(read_seconds));
        // Zero stands for the default.
        ns.map(|ns| ns.filter(|&ns| ns != 0).map(|ns| ns.min(MAX_INTERVAL_NS)))
    };
    let base = interval("initial_interval")?.unwrap_or(INITIAL_NS);
    let cap = interval("maximum_interval")?.unwrap_or(base.saturating_mul(MAX_INTERVALS));
    if cap < base {
        return Err(policy.error("maximumInterval is below initialInterval"));
    }
    let coefficient = policy.read("backoff_coefficient", Node::ratio)?;
    let coefficient = coefficient.filter(|ratio| ratio.numerator() != 0);
    let attempts = policy.read("maximum_attempts", |node| node.count(0, MAX_ATTEMPTS))?;
    let retries = attempts.and_then(|attempts| attempts.checked_sub(1));
    let limit = options.map_or(Ok(None), |options| {
        options.read("start_to_close_timeout", |node| node.duration(read_go_duration))
    })?;
    let read = Read::growing(base, coefficient.unwrap_or(Ratio::new(2, 1)), Some(cap))
        .with(Field::MaxRetries, retries.map_or(FieldValue::NoLimit, FieldValue::Count))
        .attempt_timeout(limit)
        .policy(&policy.at)?;
    Ok((read, None))
}
