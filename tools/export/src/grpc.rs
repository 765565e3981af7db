//! The service config of gRPC (gRFC A6): `retryPolicy` of a method and `retryThrottling`.
//!
//! The n-th retry waits `min(initialBackoff * backoffMultiplier^(n-1), maxBackoff)`, 20% less or
//! more.

use backoff_core::{Budget, Field, FieldValue, MAX_NS, Policy, Ratio};

use crate::error::ImportError;
use crate::fields::{count_of, ratio_of};
use crate::found::Found;
use crate::json::{Node, Object};
use crate::limits::{self, Ends};
use crate::policy::Read;
use crate::source::{Hints, Source};
use crate::text::{MS, decimal, ns, read_seconds, seconds, with_point};

/// Clients count a larger number as this one unless they are told otherwise.
const MAX_ATTEMPTS: u64 = 5;
const JITTER: Ratio = Ratio::new(1, 5);
/// The most tokens of `retryThrottling`.
const MAX_TOKENS: u64 = 1000;

pub(crate) fn write(source: &mut Source<'_>, budget: Option<&Budget>) -> String {
    let multiplier = with_point(source.decimal_multiplier());
    if source.ns(Field::Base) < 2 * MS {
        // grpc/grpc issue 41036, open in 2026-11.
        source.replace(
            Field::Base,
            ns(2 * MS),
            "it counts whole milliseconds, from 2ms: 20% less than 1ms is cut to 0ms by its clients \
             in C++ and Python, which may hang then",
        );
    } else {
        source.whole_ms(Field::Base);
    }
    source.whole_ms(Field::Cap);
    source.only_common_fields();
    let fifth = Some(FieldValue::Ratio(JITTER));
    let jitter = [Field::JitterBelow, Field::JitterAbove].map(|field| (field, fifth));
    if jitter.iter().any(|&(field, fifth)| source.policy.get(field) != fifth) {
        let [below, above] = jitter;
        let instead = [(Field::Jitter, Some(FieldValue::Kind("proportional"))), below, above];
        let reason = "each delay is up to 20% shorter or longer; set jitter=0.2";
        source.replace_all(Field::Jitter, &instead, reason);
    }
    if source.max_retries() == Some(0) {
        // `--nearest` offers nothing: a single retry is what the policy forbids.
        let reason = "its maxAttempts is at least 2; leave retryPolicy out, and it does not retry";
        source.refuse(Field::MaxRetries, reason);
    }
    source.retries_at_most(
        MAX_ATTEMPTS - 1,
        "maxAttempts is 2 to 5, which is max_retries 1 to 4; more needs an option of each channel",
    );
    source.no_attempt_timeout("its timeout limits all attempts together");
    source.no_max_elapsed("the timeout of a methodConfig");
    source.hints(&Hints::Exact("grpc-retry-pushback-ms"));
    let throttling = budget.map_or_else(String::new, |budget| throttling(source, budget));
    let longest = MAX_NS.saturating_sub(MAX_NS.rem_euclid(MS));
    let cap = source.cap_or_last_window("a maxBackoff", longest);
    let attempts = source.policy.max_attempts();
    format!(
        r#"{{
  "methodConfig": [
    {{
      "name": [{{}}],
      "retryPolicy": {{
        "maxAttempts": {attempts},
        "initialBackoff": "{}",
        "maxBackoff": "{}",
        "backoffMultiplier": {multiplier},
        "retryableStatusCodes": ["UNAVAILABLE"]
      }}
    }}
  ]{throttling}
}}
"#,
        seconds(source.ns(Field::Base)),
        seconds(cap),
    )
}

/// `retryThrottling`, with the comma before it.
fn throttling(source: &mut Source<'_>, budget: &Budget) -> String {
    if budget.kind() != "throttle" {
        let reason = "its retryThrottling is a budget of the kind throttle";
        source.refuse_budget(budget, None, reason);
        return String::new();
    }
    let ratio = ratio_of(budget);
    let tokens = count_of(budget, Field::MaxTokens);
    // Implementations keep thousandths.
    let is_whole = 1000_u32.checked_rem(ratio.denominator()) == Some(0);
    if ratio.numerator() == 0 || !is_whole {
        let thousandths = u64::from(ratio.numerator()).saturating_mul(1000);
        // Less is granted, not more.
        let thousandths = thousandths.checked_div(ratio.denominator().into()).unwrap_or(0).max(1);
        let instead = format!("throttle:max_tokens={tokens},ratio={thousandths}/1000");
        let reason = "tokenRatio is a multiple of 0.001, from 0.001";
        source.refuse_budget(budget, Some(instead), reason);
    }
    let ratio = decimal(ratio).map(with_point);
    format!(
        r#",
  "retryThrottling": {{
    "maxTokens": {tokens},
    "tokenRatio": {}
  }}"#,
        ratio.unwrap_or_default(),
    )
}

/// The policy of each method.
pub(crate) fn find(root: &Node<'_>) -> Result<Vec<Found>, ImportError> {
    let configs = root.objects().into_iter().filter(|object| object.get("methodConfig").is_some());
    let mut found = Vec::new();
    let mut is_config = false;
    for config in configs {
        is_config = true;
        for method in config.need("methodConfig")?.array()? {
            let method = method.object()?;
            if let Some(hedging) = method.get("hedgingPolicy") {
                let reason = "a policy waits for a failure before it retries";
                found.push(Found::new(&hedging.at, Err(hedging.error(reason))));
            } else if let Some(policy) = method.get("retryPolicy") {
                let limits = limits::of(&method, [("timeout", Ends::Operation)]);
                found.push(Found::new(&policy.at, read(&policy, &config)).warn(limits));
            }
        }
    }
    match (found.is_empty(), is_config) {
        (true, false) => Err(root.error("methodConfig is missing")),
        (true, true) => Err(root.error("no method has a retryPolicy")),
        _ => Ok(found),
    }
}

fn read(policy: &Node<'_>, config: &Object<'_>) -> Result<(Policy, Option<Budget>), ImportError> {
    let policy = policy.object()?;
    policy.only(&[
        "maxAttempts",
        "initialBackoff",
        "maxBackoff",
        "backoffMultiplier",
        "retryableStatusCodes",
    ])?;
    let attempts = policy.need("maxAttempts")?.count(2, u32::MAX.into())?;
    let base = policy.need("initialBackoff")?.duration(read_seconds)?;
    let cap = policy.need("maxBackoff")?.duration(read_seconds)?;
    if base == 0 || cap == 0 {
        return Err(policy.error("initialBackoff and maxBackoff are above 0s"));
    }
    let multiplier = policy.need("backoffMultiplier")?.ratio()?;
    // The first delay is no longer than maxBackoff either.
    let read = Read::growing(base.min(cap), multiplier, Some(cap))
        .jitter(JITTER)
        .with(Field::MaxAttempts, FieldValue::Count(attempts.min(MAX_ATTEMPTS)))
        .kind(Field::RetryAfter, "exact")
        .with(Field::RetryAfterMax, FieldValue::NoLimit)
        .policy(&policy.at)?;
    let throttling = config.read("retryThrottling", Node::object)?;
    let Some(throttling) = throttling else { return Ok((read, None)) };
    throttling.only(&["maxTokens", "tokenRatio"])?;
    let tokens = throttling.need("maxTokens")?.count(1, MAX_TOKENS)?;
    let node = throttling.need("tokenRatio")?;
    let ratio = node.ratio()?;
    let ratio = decimal(ratio).filter(|_| ratio.numerator() > 0).map(thousandths);
    let ratio = ratio.ok_or_else(|| node.error("not a decimal from 0.001"))?;
    let budget = Budget::parse(format!("throttle:max_tokens={tokens},ratio={ratio}"));
    Ok((read, Some(budget.map_err(|error| node.error(error.to_string()))?)))
}

/// A decimal without what is after the third digit, which gRPC does not read.
fn thousandths(decimal: String) -> String {
    match decimal.split_once('.') {
        Some((whole, decimals)) => {
            format!("{whole}.{}", decimals.chars().take(3).collect::<String>())
        }
        None => decimal,
    }
}
