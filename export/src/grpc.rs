//! The service config of gRPC (gRFC A6): `retryPolicy` of a method and `retryThrottling`.
//!
//! The n-th retry waits `min(initialBackoff * backoffMultiplier^(n-1), maxBackoff)`, 20% less or
//! more.

use backoff_core::ffi::{budget_value, kind_name, ratio_from_value};
use backoff_core::{Budget, Field, MAX_NS, Policy, Ratio};

use crate::error::ImportError;
use crate::json;
use crate::policy::Read;
use crate::source::{Hints, Source};
use crate::text::{MS, decimal, read_seconds, seconds, with_point};

/// Clients count a larger number as this one unless they are told otherwise.
const MAX_ATTEMPTS: u64 = 5;
/// The jitter of every delay.
const JITTER: Ratio = Ratio::new(1, 5);
/// The most tokens of `retryThrottling`.
const MAX_TOKENS: u64 = 1000;

pub(crate) fn write(source: &mut Source<'_>, budget: Option<&Budget>) -> String {
    let multiplier = with_point(source.decimal_multiplier());
    if source.get(Field::Base) < 2 * MS {
        // grpc/grpc issue 41036, open in 2026-11.
        source.refuse(
            Field::Base,
            "it counts whole milliseconds, from 2ms: 20% less than 1ms is cut to 0ms by its clients \
             in C++ and Python, which may hang then",
        );
    } else {
        source.whole_ms(Field::Base);
    }
    source.whole_ms(Field::Cap);
    source.only_common_fields();
    let jitter = [Field::JitterBelow, Field::JitterAbove].map(|field| source.get(field));
    if source.kind(Field::Jitter) != "proportional"
        || jitter.map(ratio_from_value) != [JITTER, JITTER]
    {
        source.refuse(Field::Jitter, "each delay is up to 20% shorter or longer; set jitter=0.2");
    }
    source.retries_within(
        1,
        MAX_ATTEMPTS - 1,
        "maxAttempts is 2 to 5, which is max_retries 1 to 4; to switch retries off, leave the \
         retryPolicy out; more than 5 needs an option of each channel",
    );
    source.no_max_elapsed("the timeout of a methodConfig");
    source.hints(&Hints::Exact("grpc-retry-pushback-ms"));
    let throttling = budget.map_or_else(String::new, |budget| throttling(source, budget));
    let cap = source.cap_or_last_window("a maxBackoff");
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
        seconds(source.get(Field::Base)),
        seconds(cap),
    )
}

/// `retryThrottling`, with the comma before it.
fn throttling(source: &mut Source<'_>, budget: &Budget) -> String {
    let value = |field| budget_value(budget, field).unwrap_or_default();
    if kind_name(Field::Budget, value(Field::Budget)) != Some("throttle") {
        source.refuse_budget(budget, "its retryThrottling is a budget of the kind throttle");
        return String::new();
    }
    let ratio = ratio_from_value(value(Field::Ratio));
    // Implementations keep thousandths.
    let is_whole = 1000_u32.checked_rem(ratio.denominator()) == Some(0);
    if ratio.numerator() == 0 || !is_whole {
        source.refuse_budget(budget, "tokenRatio is a multiple of 0.001, from 0.001");
    }
    let (tokens, ratio) = (value(Field::MaxTokens), decimal(ratio).map(with_point));
    format!(
        r#",
  "retryThrottling": {{
    "maxTokens": {tokens},
    "tokenRatio": {}
  }}"#,
        ratio.unwrap_or_default(),
    )
}

pub(crate) fn read(text: &str) -> Result<(Policy, Option<Budget>), ImportError> {
    let value = json::parse(text)?;
    let config = json::object(&value)?;
    let mut policies = Vec::new();
    for method in config.need("methodConfig")?.array()? {
        let method = method.object()?;
        if let Some(hedging) = method.get("hedgingPolicy") {
            return Err(hedging.error("a policy waits for a failure before it retries"));
        }
        policies.extend(method.get("retryPolicy"));
    }
    let [policy] = policies.as_slice() else {
        let found = policies.len();
        return Err(config.error(format!("found {found} of retryPolicy, instead of 1")));
    };
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
    if base == 0 || cap < base {
        return Err(policy.error("initialBackoff is not above 0s and up to maxBackoff"));
    }
    let multiplier = policy.need("backoffMultiplier")?.ratio()?;
    let read = Read::growing(base, multiplier, Some(cap))
        .jitter(JITTER)
        .with(Field::MaxAttempts, attempts.min(MAX_ATTEMPTS))
        .kind(Field::RetryAfter, "exact")
        .with(Field::RetryAfterMax, MAX_NS)
        .policy(&policy.at)?;
    let throttling = config.get("retryThrottling").map(|node| node.object()).transpose()?;
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
