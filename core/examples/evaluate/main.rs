//! The evaluator (see tests/README.md). It reads requests, one JSON object per line, and writes the
//! answers: delays, previews, fits, the decisions of operations, steps of budgets, exchanges of shared
//! ones, and the waits that HTTP responses ask for.

mod member;
#[cfg(test)]
mod tests;
mod wire;

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::iter;

use backoff_core::ffi::{self, FieldSet, Unit};
use backoff_core::{
    Backoff, Budget, BudgetEvent, BudgetMember, BudgetState, Fallback, Field, Operation, Outcome,
    ParseError, Policy, PolicyError, RandomStream, Waits, http_retry_after_ns,
    parse_retry_after_ns,
};
use serde_json::Value;

use self::member::Player;
use self::wire::{Members, list, or, shown, text, time, whole, word};

fn main() -> io::Result<()> {
    let input = io::BufReader::with_capacity(1 << 16, io::stdin().lock());
    serve(input, io::BufWriter::with_capacity(1 << 16, io::stdout().lock()))
}

pub(crate) fn serve(mut input: impl BufRead, mut out: impl Write) -> io::Result<()> {
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let answer = answer(line.strip_suffix(b"\n").unwrap_or(&line));
        let answer = answer.as_deref().unwrap_or(r#"{"error":"not_a_request","at":0}"#);
        writeln!(out, "{answer}")?;
        line.clear();
    }
    out.flush()
}

/// The answer to a line, or `None` if the line is not a request.
fn answer(line: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(line).ok()?;
    let members = value.as_object()?;
    let mut request = Request { members, error: None };
    let answer = match FORMS.iter().find(|(name, _)| members.contains_key(*name)) {
        Some((name, form)) => form(&mut request, members.get(*name)?)?,
        None => delay(&mut request)?,
    };
    Some(request.error.unwrap_or(answer))
}

type Form = fn(&mut Request, &Value) -> Option<String>;

/// In the order in which they are looked for.
const FORMS: [(&str, Form); 8] = [
    ("retry_after", retry_after),
    ("response", response),
    ("state", state),
    ("exchange", exchange),
    ("steps", steps),
    ("fit", fit),
    ("preview", preview),
    ("delays", delays),
];

/// The members of a request, and the answer to the first policy or budget that is invalid. A valid one
/// takes its place, because the rest of the request is read, too.
struct Request<'a> {
    members: &'a Members,
    error: Option<String>,
}

impl Request<'_> {
    fn refuse(&mut self, error: String) {
        self.error.get_or_insert(error);
    }

    fn policy(&mut self) -> Option<Policy> {
        let policy = Policy::parse(text(self.members.get("policy")?)?);
        policy
            .or_else(|error| {
                self.refuse(format!("{{{}}}", place(&error)));
                Policy::parse("none")
            })
            .ok()
    }

    fn budget(&mut self, string: &Value, of: &str) -> Option<Budget> {
        let budget = Budget::parse(text(string)?);
        budget
            .or_else(|error| {
                self.refuse(format!(r#"{{{},"of":"{of}"}}"#, place(&error)));
                Budget::parse("rate")
            })
            .ok()
    }

    fn stream(&self) -> Option<RandomStream> {
        let seed = self.members.get("seed").map_or(Some(0), word)?;
        let key = or(self.members.get("key"), text).ok()?;
        Some(key.map_or(RandomStream::from_seed(seed), |key| RandomStream::from_key(seed, key)))
    }
}

fn place(error: &ParseError) -> String {
    format!(r#""error":"{}","at":{}"#, error.code().name(), error.at())
}

/// The answer to a policy that is invalid, but not at a place of a string.
fn details(error: &PolicyError) -> String {
    let (code, field) = (error.code().name(), error.field().name());
    let (value, limit) = (error.value(), error.limit());
    format!(r#"{{"error":"{code}","field":"{field}","value":"{value}","limit":"{limit}"}}"#)
}

/// Numbers as strings of digits, with commas.
fn row(numbers: impl IntoIterator<Item = u64>) -> String {
    let numbers: Vec<_> = numbers.into_iter().map(|number| format!("\"{number}\"")).collect();
    numbers.join(",")
}

fn delay(request: &mut Request) -> Option<String> {
    let (policy, stream) = (request.policy()?, request.stream()?);
    let index = request.members.get("index").map_or(Some(0), |index| whole(index, u32::MAX))?;
    let delay = policy.delay_ns(stream, index);
    Some(format!(r#"{{"canonical":"{policy}","delay_ns":"{delay}"}}"#))
}

fn delays(request: &mut Request, asked: &Value) -> Option<String> {
    let index = whole(asked.get("index")?, u32::MAX)?;
    let count = whole(asked.get("count")?, 10_000)?;
    (u64::from(index) + u64::from(count) <= 1 << 32).then_some(())?;
    let (stream, mut delays) = (request.stream()?, vec![0; usize::try_from(count).ok()?]);
    let policy = match policy_of_fields(request.members.get("policy")?.as_object()?)? {
        Ok(policy) => policy,
        Err(error) => {
            request.refuse(details(&error));
            Policy::parse("none").ok()?
        }
    };
    let mut backoff = Backoff::new(policy, stream);
    let next = |backoff: &mut Backoff, delays: &mut [u64]| {
        let taken = iter::from_fn(|| backoff.next_ns());
        delays.iter_mut().zip(taken).map(|(delay, taken)| *delay = taken).count()
    };
    let written = match asked.get("via")?.as_str()? {
        via @ ("window" | "at") => {
            for (index, delay) in (index..=u32::MAX).zip(&mut delays) {
                *delay = match via {
                    "window" => policy.window_ns(index),
                    _ => policy.delay_ns(stream, index),
                };
            }
            delays.len()
        }
        "fill" => policy.fill_ns(stream, index, &mut delays),
        "next" => next(&mut backoff, &mut delays),
        "reset" => {
            (0..index).take_while(|_| backoff.next_ns().is_some()).for_each(drop);
            backoff.reset();
            backoff.fill_ns(&mut delays)
        }
        _ => return None,
    };
    Some(format!(r#"{{"delays":[{}]}}"#, row(delays.into_iter().take(written))))
}

fn policy_of_fields(fields: &Members) -> Option<Result<Policy, PolicyError>> {
    let mut params = FieldSet::default();
    for (name, value) in fields {
        let Some(field) = ffi::field_from_name(name) else { continue };
        if field == Field::Waits {
            let waits = value.as_array()?.iter().map(word).collect::<Option<Vec<_>>>()?;
            params.set_waits(Waits::from_ns(waits));
            continue;
        }
        let number = match ffi::field_unit(field) {
            Unit::Kind(_) => ffi::kind_number(field, text(value)?),
            Unit::Ratio => {
                let (n, d) = text(value)?.split_once('/')?;
                let term = |digits| u32::try_from(wire::digits(digits, u32::MAX.into())?).ok();
                ffi::ratio_value(term(n)?, term(d)?)
            }
            _ => word(value)?,
        };
        params.set(field, number);
    }
    Some(ffi::build_policy(&params))
}

fn preview(request: &mut Request, asked: &Value) -> Option<String> {
    let policy = request.policy()?;
    let number = |name, limit| usize::try_from(whole(asked.get(name)?, limit)?).ok();
    // A fuzzer would spend most of its time on rows that it skips.
    let most_skipped = if cfg!(fuzzing) { 100 } else { 10_000 };
    let rows = policy.preview().skip(number("first", most_skipped)?).take(number("count", 1000)?);
    let rows = rows.map(|found| {
        let delays = [found.min_ns, found.mean_ns, found.max_ns];
        let totals = [found.total_min_ns, found.total_mean_ns, found.total_max_ns];
        format!("[{}]", row(delays.into_iter().chain(totals)))
    });
    Some(format!(r#"{{"rows":[{}]}}"#, rows.collect::<Vec<_>>().join(",")))
}

fn fit(request: &mut Request, asked: &Value) -> Option<String> {
    let (policy, field) = (request.policy()?, text(asked.get("field")?)?);
    let attempts = whole(asked.get("attempts")?, u32::MAX)?.into();
    let total_ns = time(asked.get("total")?)?;
    let fitted = match field {
        "base" => policy.fit_base(attempts, total_ns),
        "cap" => policy.fit_cap(attempts, total_ns),
        _ => return None,
    };
    Some(match fitted {
        Ok(fitted) => format!(r#"{{"canonical":"{fitted}"}}"#),
        Err(error) => details(&error),
    })
}

fn steps(request: &mut Request, steps: &Value) -> Option<String> {
    let (policy, stream) = (request.policy()?, request.stream()?);
    let budget =
        or(request.members.get("budget"), |string| request.budget(string, "budget")).ok()?;
    let mut operations = BTreeMap::new();
    let mut answers = Vec::new();
    for step in list(steps)? {
        let number = whole(step.get("operation")?, u32::MAX)?;
        let now_ns = word(step.get("now")?)?;
        let action = text(step.get("do")?)?;
        if action == "begin" {
            let deadline_ns = or(step.get("deadline"), word).ok()?;
            let operation = Operation::begin(policy, stream, now_ns, deadline_ns, budget.as_ref());
            operations.insert(number, operation).is_none().then_some(())?;
            continue;
        }
        let operation = operations.get_mut(&number)?;
        if action == "limit" {
            let limit = shown(operation.attempt_limit_ns(now_ns));
            let index = operation.retry_index(now_ns);
            answers.push(format!(r#"{{"limit":{limit},"index":{index}}}"#));
            continue;
        }
        let (reason, delay) = match action {
            "outcome" => {
                let (outcome, wait) = (outcome(step)?, or(step.get("retry_after"), time).ok()?);
                let budget = budget.as_ref();
                let decision = match or(step.get("own_delay"), time).ok()? {
                    Some(own) => operation.decide_with_delay(outcome, wait, own, now_ns, budget),
                    None => operation.decide(outcome, wait, now_ns, budget),
                };
                (decision.stop_reason(), decision.delay_ns())
            }
            "cancel" => (Some(operation.cancel(budget.as_ref())), 0),
            _ => return None,
        };
        let retries = operation.retries();
        answers.push(match reason {
            None => format!(r#"{{"wait":"{delay}","retries":{retries}}}"#),
            Some(reason) => {
                format!(r#"{{"stop":"{reason}","delay":"{delay}","retries":{retries}}}"#)
            }
        });
    }
    let (budget, answers) = (shown(budget.as_ref()), answers.join(","));
    Some(format!(r#"{{"canonical":"{policy}","budget":{budget},"answers":[{answers}]}}"#))
}

fn retry_after(_: &mut Request, asked: &Value) -> Option<String> {
    let wait = parse_retry_after_ns(text(asked.get("value")?)?, time(asked.get("now")?)?);
    Some(format!(r#"{{"retry_after":{}}}"#, shown(wait)))
}

fn response(_: &mut Request, asked: &Value) -> Option<String> {
    let status = u16::try_from(whole(asked.get("status")?, u16::MAX.into())?).ok()?;
    let (fields, now_ns) = (text(asked.get("fields")?)?, time(asked.get("now")?)?);
    let wait = shown(http_retry_after_ns(status, fields, now_ns));
    let outcome = Outcome::from_http_status(status);
    Some(format!(r#"{{"outcome":"{outcome}","retry_after":{wait}}}"#))
}

fn state(request: &mut Request, asked: &Value) -> Option<String> {
    let budget = request.budget(request.members.get("budget")?, "budget")?;
    let mut state = BudgetState::full(&budget);
    if let Some(text) = or(asked.get("text"), text).ok()? {
        match BudgetState::parse(&budget, text) {
            Some(found) => state = found,
            None => request.refuse(r#"{"error":"not_a_state","at":0,"of":"text"}"#.to_owned()),
        }
    }
    let mut answers = Vec::new();
    for step in list(asked.get("events")?)? {
        let mut event = event(step)?;
        if let BudgetEvent::RetryRequested { outcome: of } = &mut event {
            *of = outcome(step)?;
        }
        let held;
        (state, held) = state.step(event, word(step.get("now")?)?);
        let granted = match event {
            BudgetEvent::RetryRequested { .. } => held.is_some().to_string(),
            _ => "null".to_owned(),
        };
        let holds = held.unwrap_or(0);
        answers.push(format!(r#"{{"granted":{granted},"holds":"{holds}","state":"{state}"}}"#));
    }
    Some(format!(r#"{{"budget":"{budget}","answers":[{}]}}"#, answers.join(",")))
}

fn exchange(request: &mut Request, asked: &Value) -> Option<String> {
    let mut budget = request.budget(request.members.get("budget")?, "budget")?;
    let local = request.budget(asked.get("local")?, "local")?;
    // A process that dies would hold its slots for ever.
    if budget.to_string().starts_with("concurrent") {
        request.refuse(r#"{"error":"not_shared","at":0,"of":"budget"}"#.to_owned());
        budget = Budget::parse("rate").ok()?;
    }
    let lease =
        u64::from(whole(asked.get("lease")?, u32::try_from(BudgetMember::MAX_LEASE).ok()?)?);
    let fallback = Fallback::from_number(word(asked.get("fallback")?)?)?;
    let (timeout_ns, seed) = (time(asked.get("timeout")?)?, word(asked.get("seed")?)?);
    (lease > 0).then_some(())?;
    let member = BudgetMember::new(&budget, &local, lease, fallback, timeout_ns, seed);
    let mut player = Player { member, is_exchanging: false, is_stepped: false };
    let answers: Option<Vec<_>> =
        list(asked.get("steps")?)?.into_iter().map(|step| player.play(step)).collect();
    let (answers, stats) = (answers?.join(","), player.stats());
    Some(format!(
        r#"{{"budget":"{budget}","local":"{local}","answers":[{answers}],"stats":{{{stats}}}}}"#
    ))
}

fn outcome(step: &Members) -> Option<Outcome> {
    let name = text(step.get("outcome")?)?;
    Outcome::ALL.iter().copied().find(|outcome| outcome.name() == name)
}

/// An event. A request for a retry is after a transient failure.
fn event(step: &Members) -> Option<BudgetEvent> {
    let (name, held) = (text(step.get("event")?)?, step.get("held").map_or(Some(0), word)?);
    let place = ffi::BUDGET_EVENTS.iter().position(|event| *event == name)?;
    ffi::budget_event(u32::try_from(place + 1).ok()?, Outcome::Transient, held)
}
