//! AWS Step Functions: `Retry` of a state, in the Amazon States Language.
//!
//! The n-th retry waits `min(IntervalSeconds * BackoffRate^(n-1), MaxDelaySeconds)`, or with
//! `JitterStrategy` `FULL` a random time up to that.

use backoff_core::{Budget, Field, FieldValue, MAX_NS, Policy, Ratio};

use crate::error::ImportError;
use crate::found::{Found, is_within};
use crate::json::{Node, Object};
use crate::limits::{self, Ends};
use crate::policy::Read;
use crate::source::{Hints, Source, next_multiple};
use crate::text::{SECOND, ns, with_point};

/// The largest `IntervalSeconds` and `MaxAttempts`.
const MAX: u64 = 99_999_999;
/// The largest `MaxDelaySeconds`.
const MAX_DELAY: u64 = 31_622_399;
/// The defaults.
const INTERVAL: u64 = 1;
const ATTEMPTS: u64 = 3;
/// The limits of a state. An attempt that they end has failed, and may be retried.
const LIMITS: [(&str, Ends); 3] = [
    ("TimeoutSecondsPath", Ends::Attempt),
    ("HeartbeatSeconds", Ends::Attempt),
    ("HeartbeatSecondsPath", Ends::Attempt),
];

pub(crate) fn write(source: &mut Source<'_>, budget: Option<&Budget>) -> String {
    let rate = with_point(source.decimal_multiplier());
    let is_constant = source.is_constant();
    let cap = Some(source.ns(Field::Cap)).filter(|&cap| cap != MAX_NS && !is_constant);
    let near = |ns, max: u64| next_multiple(ns, SECOND).min(max.saturating_mul(SECOND));
    let base = source.ns(Field::Base);
    if whole_seconds(base, MAX).is_none() {
        let reason = format!("IntervalSeconds is a whole number from 1 to {MAX}");
        source.replace(Field::Base, ns(near(base, MAX)), reason);
    }
    if let Some(cap) = cap.filter(|&cap| whole_seconds(cap, MAX_DELAY).is_none()) {
        let reason = format!("MaxDelaySeconds is a whole number from 1 to {MAX_DELAY}");
        source.replace(Field::Cap, ns(near(cap, MAX_DELAY)), reason);
    }
    source.only_common_fields();
    let jitter = match source.kind(Field::Jitter) {
        "none" => "NONE",
        "full" => "FULL",
        _ => {
            // A delay around its window, or one that begins below it.
            let is_around = ["proportional", "additive"].contains(&source.kind(Field::Jitter));
            let near = FieldValue::Kind(if is_around { "none" } else { "full" });
            let reason = "JitterStrategy is FULL or NONE; set jitter=full or none";
            source.replace(Field::Jitter, near, reason);
            ""
        }
    };
    source.retries_at_most(MAX, &format!("MaxAttempts is from 0 to {MAX}"));
    source.no_max_elapsed("the TimeoutSeconds of a state machine");
    source.hints(&Hints::Never);
    source.no_budget(budget);
    let counts = format!("TimeoutSeconds is a whole number from 1 to {MAX}");
    let limit = source.attempt_timeout(SECOND, MAX.saturating_mul(SECOND), &counts);
    let seconds = |ns: u64| ns.div_euclid(SECOND);
    let limit = limit
        .map_or_else(String::new, |limit| format!(",\n  \"TimeoutSeconds\": {}", seconds(limit)));
    let max_delay = cap
        .map_or_else(String::new, |cap| format!("\n      \"MaxDelaySeconds\": {},", seconds(cap)));
    format!(
        r#"{{
  "Retry": [
    {{
      "ErrorEquals": ["States.ALL"],
      "IntervalSeconds": {},
      "BackoffRate": {rate},{max_delay}
      "MaxAttempts": {},
      "JitterStrategy": "{jitter}"
    }}
  ]{limit}
}}
"#,
        seconds(source.ns(Field::Base)),
        source.policy.max_retries(),
    )
}

/// A number of seconds from 1, if it is whole.
fn whole_seconds(ns: u64, max: u64) -> Option<u64> {
    let seconds = ns.div_euclid(SECOND);
    (ns.rem_euclid(SECOND) == 0 && (1..=max).contains(&seconds)).then_some(seconds)
}

/// Each retrier of each state.
pub(crate) fn find(root: &Node<'_>) -> Result<Vec<Found>, ImportError> {
    let objects = root.objects();
    let machines: Vec<_> = objects.iter().filter(|object| object.get("States").is_some()).collect();
    let (mut found, mut empty) = (Vec::new(), None);
    for state in &objects {
        let Some(retry) = state.get("Retry") else { continue };
        let mut warnings = limits::of(state, LIMITS);
        for machine in machines.iter().filter(|machine| is_within(&state.at, &machine.at)) {
            warnings.extend(limits::of(machine, [("TimeoutSeconds", Ends::Operation)]));
        }
        for node in retry.array()? {
            let read = node.object().and_then(|retrier| read(&retrier, state));
            found.push(Found::new(&node.at, read).warn(warnings.clone()));
        }
        empty = Some(retry);
    }
    match (found.is_empty(), empty) {
        (true, None) => Err(root.error("Retry is missing")),
        (true, Some(retry)) => Err(retry.error("found no retrier")),
        _ => Ok(found),
    }
}

fn read(retrier: &Object<'_>, state: &Object<'_>) -> Result<(Policy, Option<Budget>), ImportError> {
    retrier.only(&[
        "ErrorEquals",
        "IntervalSeconds",
        "BackoffRate",
        "MaxDelaySeconds",
        "MaxAttempts",
        "JitterStrategy",
        "Comment",
    ])?;
    let count = |name, min, max| retrier.read(name, |node| node.count(min, max));
    let interval = count("IntervalSeconds", 1, MAX)?.unwrap_or(INTERVAL);
    let max_delay = count("MaxDelaySeconds", 1, MAX_DELAY)?;
    let attempts = count("MaxAttempts", 0, MAX)?.unwrap_or(ATTEMPTS);
    let rate = retrier.read("BackoffRate", Node::ratio)?;
    let jitter = match retrier.read("JitterStrategy", Node::text)? {
        None | Some("NONE") => "none",
        Some("FULL") => "full",
        Some(_) => return Err(retrier.error("JitterStrategy is not FULL or NONE")),
    };
    let ns = |seconds: u64| seconds.saturating_mul(SECOND);
    let limit = state.read("TimeoutSeconds", |node| node.count(1, MAX))?;
    let cap = max_delay.map(ns);
    let read = Read::growing(ns(interval), rate.unwrap_or(Ratio::new(2, 1)), cap)
        .kind(Field::Jitter, jitter)
        .with(Field::MaxRetries, FieldValue::Count(attempts))
        .attempt_timeout(limit.map(ns))
        .policy(&retrier.at)?;
    Ok((read, None))
}
