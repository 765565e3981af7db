//! Requests: lines of JSON with the members that tests/README.md lists.

use std::collections::BTreeSet;

use backoff_core::{BudgetEvent, BudgetMember, Fallback, MAX_NS, Outcome, RandomStream, ffi};
use serde_json::{Map, Value};

/// A request line.
pub(crate) enum Request {
    RetryAfter { value: String, now_ns: u64 },
    Response { status: u16, fields: String, now_ns: u64 },
    OfState { budget: String, text: Option<String>, events: Vec<(BudgetEvent, u64)> },
    OfExchange { budget: String, exchange: Exchange },
    OfPolicy { policy: String, form: Form },
}

/// A member of a shared budget, and what happens to it at a time of the process's clock.
pub(crate) struct Exchange {
    pub(crate) local: String,
    pub(crate) lease: u64,
    pub(crate) fallback: Fallback,
    pub(crate) timeout_ns: u64,
    pub(crate) seed: u64,
    pub(crate) steps: Vec<(MemberAction, u64)>,
}

pub(crate) enum MemberAction {
    Note { event: BudgetEvent, is_local: bool, times: u32 },
    Request { outcome: Outcome, times: u32 },
    Cancel { outcome: Outcome },
    Begin,
    Step { text: Option<String>, store_ns: u64 },
    Stored,
    Lost,
    Failed { may_be_stored: bool },
    Late,
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

/// The most often that an action is repeated.
const MOST_TIMES: u32 = 100_000;

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
    if let Some(asked) = request.get("response") {
        let asked = asked.as_object()?;
        let status = u16::try_from(whole(asked.get("status")?, u16::MAX.into())?).ok()?;
        let fields = text(asked.get("fields")?)?;
        return Some(Request::Response { status, fields, now_ns: time(asked.get("now")?)? });
    }
    if let Some(asked) = request.get("state") {
        let asked = asked.as_object()?;
        let budget = text(request.get("budget")?)?;
        let text = optional(asked, "text", text).ok()?;
        let timed = |members: &Members| Some((event(members)?, time(members.get("now")?)?));
        return Some(Request::OfState { budget, text, events: list(asked, "events", timed)? });
    }
    if let Some(asked) = request.get("exchange") {
        let budget = text(request.get("budget")?)?;
        return Some(Request::OfExchange { budget, exchange: exchange(asked.as_object()?)? });
    }
    let form = if request.contains_key("steps") {
        let budget = optional(request, "budget", text).ok()?;
        Form::Steps { budget, stream: stream(request)?, steps: read_steps(request)? }
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

fn read_steps(request: &Members) -> Option<Vec<Step>> {
    let mut begun = BTreeSet::new();
    list(request, "steps", |step| {
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
    })
}

fn exchange(asked: &Members) -> Option<Exchange> {
    let most = u32::try_from(BudgetMember::MAX_LEASE).ok()?;
    Some(Exchange {
        local: text(asked.get("local")?)?,
        lease: count(asked.get("lease")?, most)?.into(),
        fallback: Fallback::from_number(digits(asked.get("fallback")?, u64::MAX)?)?,
        timeout_ns: time(asked.get("timeout")?)?,
        seed: digits(asked.get("seed")?, u64::MAX)?,
        steps: list(asked, "steps", |step| Some((member_action(step)?, time(step.get("now")?)?)))?,
    })
}

fn member_action(step: &Members) -> Option<MemberAction> {
    let outcome = || outcome(step.get("outcome")?.as_str()?);
    let times = || step.get("times").map_or(Some(1), |times| count(times, MOST_TIMES));
    Some(match step.get("do")?.as_str()? {
        "note" => MemberAction::Note {
            event: event_or(step, || Some(Outcome::Transient))?,
            is_local: step.get("local").map_or(Some(false), Value::as_bool)?,
            times: times()?,
        },
        "request" => MemberAction::Request { outcome: outcome()?, times: times()? },
        "cancel" => MemberAction::Cancel { outcome: outcome()? },
        "begin" => MemberAction::Begin,
        "step" => MemberAction::Step {
            text: optional(step, "text", text).ok()?,
            store_ns: time(step.get("store_now")?)?,
        },
        "stored" => MemberAction::Stored,
        "lost" => MemberAction::Lost,
        "failed" => MemberAction::Failed { may_be_stored: step.get("stored")?.as_bool()? },
        "late" => MemberAction::Late,
        _ => return None,
    })
}

fn event(members: &Members) -> Option<BudgetEvent> {
    event_or(members, || outcome(members.get("outcome")?.as_str()?))
}

/// An event; if it is a request for a retry, after this outcome.
fn event_or(members: &Members, outcome: impl Fn() -> Option<Outcome>) -> Option<BudgetEvent> {
    let held = members.get("held").map_or(Some(0), |held| digits(held, u64::MAX))?;
    let name = members.get("event")?.as_str()?;
    let number = ffi::BUDGET_EVENTS.iter().position(|event| *event == name)?.checked_add(1)?;
    let event = ffi::budget_event(u32::try_from(number).ok()?, Outcome::Transient, held)?;
    match event {
        BudgetEvent::RetryRequested { .. } => {
            Some(BudgetEvent::RetryRequested { outcome: outcome()? })
        }
        _ => Some(event),
    }
}

fn stream(request: &Members) -> Option<RandomStream> {
    let seed = request.get("seed").map_or(Some(0), |seed| digits(seed, u64::MAX))?;
    let key = optional(request, "key", text).ok()?;
    Some(key.map_or(RandomStream::from_seed(seed), |key| RandomStream::from_key(seed, key)))
}

/// A list of objects.
fn list<T>(
    members: &Members,
    name: &str,
    mut read: impl FnMut(&Members) -> Option<T>,
) -> Option<Vec<T>> {
    members.get(name)?.as_array()?.iter().map(|value| read(value.as_object()?)).collect()
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

/// The same from 1.
fn count(number: &Value, limit: u32) -> Option<u32> {
    whole(number, limit).filter(|&count| count > 0)
}
