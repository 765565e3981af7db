//! Requests: lines of JSON with the members that tests/README.md lists.

use std::collections::BTreeSet;

use backoff_core::{MAX_NS, Outcome, RandomStream};
use serde_json::{Map, Value};

/// A request line.
pub(crate) enum Request {
    RetryAfter { value: String, now_ns: u64 },
    OfPolicy { policy: String, form: Form },
}

/// What a request asks for.
pub(crate) enum Form {
    Delay { stream: RandomStream, index: u32 },
    Preview { first: usize, count: usize },
    Fit { field: Fit, attempts: u64, total_ns: u64 },
    Steps { budget: Option<String>, stream: RandomStream, steps: Vec<Step> },
}

pub(crate) enum Fit {
    Base,
    Cap,
}

/// A step of the operations that share a policy.
pub(crate) struct Step {
    pub(crate) operation: u32,
    pub(crate) now_ns: u64,
    pub(crate) action: Action,
}

pub(crate) enum Action {
    Begin { deadline_ns: Option<u64> },
    Outcome { outcome: Outcome, retry_after_ns: Option<u64> },
    Cancel,
}

type Members = Map<String, Value>;

/// A member has the wrong type.
struct NotARequest;

/// The request of a line, or `None` if the line is not a request.
pub(crate) fn read(line: &[u8]) -> Option<Request> {
    let request: Value = serde_json::from_slice(line).ok()?;
    let request = request.as_object()?;
    if let Some(asked) = request.get("retry_after") {
        let asked = asked.as_object()?;
        let value = text(asked.get("value")?)?;
        return Some(Request::RetryAfter { value, now_ns: time(asked.get("now")?)? });
    }
    let form = if let Some(steps) = request.get("steps") {
        let budget = optional(request, "budget", text).ok()?;
        Form::Steps { budget, stream: stream(request)?, steps: read_steps(steps)? }
    } else if let Some(asked) = request.get("fit") {
        let asked = asked.as_object()?;
        let field = match asked.get("field")?.as_str()? {
            "base" => Fit::Base,
            "cap" => Fit::Cap,
            _ => return None,
        };
        let attempts = whole(asked.get("attempts")?, u32::MAX)?.into();
        Form::Fit { field, attempts, total_ns: time(asked.get("total")?)? }
    } else if let Some(asked) = request.get("preview") {
        let asked = asked.as_object()?;
        let number = |name, limit| usize::try_from(whole(asked.get(name)?, limit)?).ok();
        Form::Preview { first: number("first", 10_000)?, count: number("count", 1_000)? }
    } else {
        let index = request.get("index").map_or(Some(0), |index| whole(index, u32::MAX))?;
        Form::Delay { stream: stream(request)?, index }
    };
    Some(Request::OfPolicy { policy: text(request.get("policy")?)?, form })
}

fn read_steps(steps: &Value) -> Option<Vec<Step>> {
    let mut begun = BTreeSet::new();
    let mut read = |step: &Value| {
        let step = step.as_object()?;
        let operation = whole(step.get("operation")?, u32::MAX)?;
        let action = match step.get("do")?.as_str()? {
            "begin" => Action::Begin { deadline_ns: optional(step, "deadline", time).ok()? },
            "outcome" => Action::Outcome {
                outcome: outcome(step.get("outcome")?.as_str()?)?,
                retry_after_ns: optional(step, "retry_after", time).ok()?,
            },
            "cancel" => Action::Cancel,
            _ => return None,
        };
        // An operation begins once, and before everything else.
        let begins = begun.insert(operation);
        let is_begin = matches!(action, Action::Begin { .. });
        (begins == is_begin).then_some(())?;
        Some(Step { operation, now_ns: time(step.get("now")?)?, action })
    };
    steps.as_array()?.iter().map(&mut read).collect()
}

fn stream(request: &Members) -> Option<RandomStream> {
    let seed = request.get("seed").map_or(Some(0), |seed| digits(seed, u64::MAX))?;
    let key = optional(request, "key", text).ok()?;
    Some(key.map_or(RandomStream::from_seed(seed), |key| RandomStream::from_key(seed, key)))
}

/// A member that may be `null` or absent.
fn optional<T>(
    members: &Members,
    name: &str,
    read: impl Fn(&Value) -> Option<T>,
) -> Result<Option<T>, NotARequest> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => read(value).ok_or(NotARequest).map(Some),
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn outcome(name: &str) -> Option<Outcome> {
    Outcome::ALL.iter().copied().find(|outcome| outcome.name() == name)
}

fn time(value: &Value) -> Option<u64> {
    digits(value, MAX_NS)
}

/// A number as a string of digits.
fn digits(value: &Value, limit: u64) -> Option<u64> {
    let digits = value.as_str().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?;
    digits.parse().ok().filter(|number| *number <= limit)
}

/// A whole number up to a limit, in any notation.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the range")]
fn whole(number: &Value, limit: u32) -> Option<u32> {
    let number = number.as_f64()?;
    let is_whole = number.fract() == 0.0 && (0.0..=f64::from(limit)).contains(&number);
    is_whole.then_some(number as u32)
}
