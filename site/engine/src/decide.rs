//! The decisions of an operation, one attempt after another.

use backoff_core::{
    Budget, Decision, Field, FieldValue, Operation, Outcome, Policy, RandomStream,
    parse_duration_ns, parse_retry_after_ns,
};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answer;
use crate::error::Refused;
use crate::policy::{budget_of, policy_of, seed_of};

/// How long an attempt takes of which nothing is said.
const ATTEMPT_NS: u64 = 50_000_000;

/// The most operations before, and the most retries of each: a page answers within a frame.
const MOST_BEFORE: u32 = 1_000;
const MOST_RETRIES: u64 = 100;

#[derive(Deserialize)]
struct Input {
    policy: String,
    budget: String,
    seed: String,
    key: String,
    deadline: String,
    before: String,
    attempts: Vec<String>,
}

#[derive(Serialize)]
struct Step {
    began_ns: String,
    ended_ns: String,
    outcome: &'static str,
    retry_after_ns: Option<String>,
    /// The index of the delay that the policy computes.
    index: u64,
    /// That delay, before a Retry-After.
    computed_ns: String,
    decision: &'static str,
    reason: Option<&'static str>,
    delay_ns: String,
    /// The field of the policy that made the Retry-After shorter.
    limit: Option<&'static str>,
    /// What the budget has left before the decision and after it.
    level_before: Option<String>,
    level: Option<String>,
    level_max: Option<String>,
}

/// The decisions after each attempt: JSON with `policy`, `budget`, `seed`, `key`, `deadline`, `before` and `attempts`.
#[wasm_bindgen]
#[must_use]
pub fn decide(input: &str) -> String {
    answer(steps(input))
}

fn steps(input: &str) -> Result<Vec<Step>, Refused> {
    let input: Input =
        serde_json::from_str(input).map_err(|error| Refused::new("attempt", &error))?;
    let (policy, budget) = (policy_of(&input.policy)?, budget_of(&input.budget)?);
    let budget = budget.as_ref();
    let stream = RandomStream::from_key(seed_of(&input.seed)?, &input.key);
    let deadline = match input.deadline.as_str() {
        "" => None,
        text => Some(duration("deadline", text)?),
    };
    for number in 0..operations_before(&input.before)? {
        fail_before(policy, RandomStream::nth(1, number.into()), budget);
    }
    let level = |now_ns| budget.map(|budget| budget.level(now_ns));
    let mut now_ns = 0;
    let mut operation = Operation::begin(policy, stream, now_ns, deadline, budget);
    let mut steps = Vec::new();
    for (number, text) in input.attempts.iter().enumerate() {
        let attempt = Attempt::read(number, text)?;
        let began_ns = now_ns;
        now_ns = now_ns.saturating_add(attempt.took_ns);
        let before = level(now_ns);
        let index = operation.retry_index(now_ns);
        let computed = u32::try_from(index).map_or(0, |index| policy.delay_ns(stream, index));
        let decision = operation.decide(attempt.outcome, attempt.retry_after_ns, now_ns, budget);
        let after = level(now_ns);
        steps.push(Step {
            began_ns: began_ns.to_string(),
            ended_ns: now_ns.to_string(),
            outcome: attempt.outcome.name(),
            retry_after_ns: attempt.retry_after_ns.map(|ns| ns.to_string()),
            index,
            computed_ns: computed.to_string(),
            decision: if decision.stop_reason().is_some() { "stop" } else { "wait" },
            reason: decision.stop_reason().map(backoff_core::StopReason::name),
            delay_ns: decision.delay_ns().to_string(),
            limit: attempt.retry_after_ns.and_then(|ns| limit_of(&policy, ns, computed)),
            level_before: before.map(|left| tokens(left.level, left.unit)),
            level: after.map(|left| tokens(left.level, left.unit)),
            level_max: after.map(|left| tokens(left.max, left.unit)),
        });
        match decision {
            Decision::Wait { delay_ns } => now_ns = now_ns.saturating_add(delay_ns),
            _ => break,
        }
    }
    Ok(steps)
}

fn operations_before(text: &str) -> Result<u32, Refused> {
    let number = if text.is_empty() { Some(0) } else { text.parse().ok() };
    number.filter(|&number| number <= MOST_BEFORE).ok_or_else(|| {
        Refused::new("before", &format!("`{text}` is not a whole number from 0 to {MOST_BEFORE}"))
    })
}

/// The field that limits a Retry-After (SPEC 13.5), if one does.
fn limit_of(policy: &Policy, retry_after_ns: u64, computed_ns: u64) -> Option<&'static str> {
    let of = |field| policy.get(field).and_then(FieldValue::as_ns).unwrap_or(u64::MAX);
    let most = of(Field::RetryAfterMax);
    let extra = computed_ns.saturating_add(of(Field::RetryAfterMaxExtra));
    let field = if extra < most { Field::RetryAfterMaxExtra } else { Field::RetryAfterMax };
    (retry_after_ns > most.min(extra)).then(|| field.name())
}

/// An operation whose attempts all fail at once, until it stops.
fn fail_before(policy: Policy, stream: RandomStream, budget: Option<&Budget>) {
    let mut operation = Operation::begin(policy, stream, 0, None, budget);
    while operation.retries() < MOST_RETRIES
        && operation.decide(Outcome::Transient, None, 0, budget).stop_reason().is_none()
    {}
    operation.cancel(budget);
}

#[expect(clippy::cast_precision_loss, reason = "it is rounded to hundredths")]
fn tokens(level: u64, unit: u64) -> String {
    let hundredths = (level as f64 / unit.max(1) as f64 * 100.0).round();
    (hundredths / 100.0).to_string()
}

struct Attempt {
    outcome: Outcome,
    retry_after_ns: Option<u64>,
    took_ns: u64,
}

impl Attempt {
    /// Reads `OUTCOME[;retry-after=TIME][;took=TIME]`. A Retry-After may be a number of seconds, as in HTTP.
    fn read(number: usize, text: &str) -> Result<Self, Refused> {
        let refused = |field, message: String| Refused {
            number,
            field: Some(field),
            ..Refused::new("attempt", &message)
        };
        let (name, rest) = text.split_once(';').unwrap_or((text, ""));
        let outcome = Outcome::ALL.iter().copied().find(|outcome| outcome.name() == name);
        let names: Vec<_> = Outcome::ALL.iter().map(|outcome| outcome.name()).collect();
        let unknown = || refused("outcome", format!("`{name}` is none of {}", names.join(", ")));
        let outcome = outcome.ok_or_else(unknown)?;
        let (mut retry_after_ns, mut took_ns) = (None, ATTEMPT_NS);
        for pair in rest.split(';').filter(|pair| !pair.is_empty()) {
            let time = |field, text: &str| {
                parse_duration_ns(text).map_err(|error| refused(field, error.to_string()))
            };
            match pair.split_once('=') {
                Some(("retry-after", text)) => {
                    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
                    let seconds = parse_retry_after_ns(text, 0).filter(|_| is_number);
                    let ns = seconds.map_or_else(|| time("retry-after", text), Ok)?;
                    retry_after_ns = Some(ns);
                }
                Some(("took", text)) => took_ns = time("took", text)?,
                _ => {
                    let message = format!("`{pair}`: expected retry-after= or took=");
                    return Err(refused("outcome", message));
                }
            }
        }
        Ok(Self { outcome, retry_after_ns, took_ns })
    }
}

fn duration(option: &'static str, text: &str) -> Result<u64, Refused> {
    parse_duration_ns(text).map_err(|error| Refused::new(option, &error))
}
