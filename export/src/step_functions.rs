//! AWS Step Functions: `Retry` of a state, in the Amazon States Language.
//!
//! The n-th retry waits `min(IntervalSeconds * BackoffRate^(n-1), MaxDelaySeconds)`, or with
//! `JitterStrategy` `FULL` a random time up to that.

use backoff_core::{Budget, Field, MAX_NS, Policy, Ratio};

use crate::error::ImportError;
use crate::json;
use crate::policy::Read;
use crate::source::{Hints, Source};
use crate::text::{SECOND, with_point};

/// The largest `IntervalSeconds` and `MaxAttempts`.
const MAX: u64 = 99_999_999;
/// The largest `MaxDelaySeconds`.
const MAX_DELAY: u64 = 31_622_399;
/// The defaults.
const INTERVAL: u64 = 1;
const ATTEMPTS: u64 = 3;

pub(crate) fn write(source: &mut Source<'_>, budget: Option<&Budget>) -> String {
    let rate = with_point(source.decimal_multiplier());
    let is_constant = source.is_constant();
    let cap = Some(source.get(Field::Cap)).filter(|&cap| cap != MAX_NS && !is_constant);
    if whole_seconds(source.get(Field::Base), MAX).is_none() {
        source.refuse(Field::Base, format!("IntervalSeconds is a whole number from 1 to {MAX}"));
    }
    if cap.is_some_and(|cap| whole_seconds(cap, MAX_DELAY).is_none()) {
        let reason = format!("MaxDelaySeconds is a whole number from 1 to {MAX_DELAY}");
        source.refuse(Field::Cap, reason);
    }
    source.only_common_fields();
    let jitter = match source.kind(Field::Jitter) {
        "none" => "NONE",
        "full" => "FULL",
        _ => {
            source.refuse(Field::Jitter, "JitterStrategy is FULL or NONE; set jitter=full or none");
            ""
        }
    };
    source.retries_within(0, MAX, &format!("MaxAttempts is from 0 to {MAX}"));
    source.no_max_elapsed("the TimeoutSeconds of a state");
    source.hints(&Hints::Never);
    source.no_budget(budget);
    if source.refusals.is_empty() {
        only_whole_windows(source);
    }
    let seconds = |ns: u64| ns.div_euclid(SECOND);
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
  ]
}}
"#,
        seconds(source.get(Field::Base)),
        source.policy.max_retries(),
    )
}

/// A number of seconds from 1, if it is whole.
fn whole_seconds(ns: u64, max: u64) -> Option<u64> {
    let seconds = ns.div_euclid(SECOND);
    (ns.rem_euclid(SECOND) == 0 && (1..=max).contains(&seconds)).then_some(seconds)
}

/// Refuses windows of a fraction of a second: how Step Functions rounds them is not documented.
fn only_whole_windows(source: &mut Source<'_>) {
    let retries = u32::try_from(source.policy.max_retries()).unwrap_or(u32::MAX);
    let (mut before, mut index) = (0, 0);
    while index < retries {
        let window = source.policy.window_ns(index);
        if window.rem_euclid(SECOND) != 0 && window != MAX_NS {
            let shown = backoff_core::ffi::duration_text(window);
            let reason = format!(
                "the window of retry {} is {shown}, and AWS does not document how it rounds a \
                 fraction of a second",
                index.saturating_add(1)
            );
            return source.refuse(Field::Multiplier, reason);
        }
        // From here on no window is longer.
        if window == before {
            return;
        }
        (before, index) = (window, index.saturating_add(1));
    }
}

pub(crate) fn read(text: &str) -> Result<(Policy, Option<Budget>), ImportError> {
    let value = json::parse(text)?;
    let state = json::object(&value)?;
    let node = state.need("Retry")?;
    let retriers = node.array()?;
    let [retrier] = retriers.as_slice() else {
        let found = retriers.len();
        return Err(node.error(format!("found {found} retriers, instead of 1")));
    };
    let retrier = retrier.object()?;
    retrier.only(&[
        "ErrorEquals",
        "IntervalSeconds",
        "BackoffRate",
        "MaxDelaySeconds",
        "MaxAttempts",
        "JitterStrategy",
        "Comment",
    ])?;
    let count = |name, min, max| retrier.get(name).map(|node| node.count(min, max)).transpose();
    let interval = count("IntervalSeconds", 1, MAX)?.unwrap_or(INTERVAL);
    let max_delay = count("MaxDelaySeconds", 1, MAX_DELAY)?;
    let attempts = count("MaxAttempts", 0, MAX)?.unwrap_or(ATTEMPTS);
    let rate = retrier.get("BackoffRate").map(|node| node.ratio()).transpose()?;
    let jitter = retrier.get("JitterStrategy");
    let jitter = match jitter.as_ref().map(json::Node::text).transpose()? {
        None | Some("NONE") => "none",
        Some("FULL") => "full",
        Some(_) => return Err(retrier.error("JitterStrategy is not FULL or NONE")),
    };
    let ns = |seconds: u64| seconds.saturating_mul(SECOND);
    let cap = max_delay.map(ns);
    let read = Read::growing(ns(interval), rate.unwrap_or(Ratio::new(2, 1)), cap)
        .kind(Field::Jitter, jitter)
        .with(Field::MaxRetries, attempts)
        .policy(&retrier.at)?;
    Ok((read, None))
}
