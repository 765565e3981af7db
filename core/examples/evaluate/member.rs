//! The exchanges of a member of a shared budget.

use backoff_core::{
    BudgetEvent, BudgetMember, ExchangeStep, MemberAnswer, Outcome, SteppedState, ffi,
};
use serde_json::Value;

use super::wire::{Members, or, shown, text, whole, word};
use super::{event, outcome, row};

const RETRIED: [Outcome; 3] = [Outcome::Transient, Outcome::Throttled, Outcome::Timeout];
const MAX_TIMES: u32 = 100_000;

/// An action that may not come now: one exchange at a time, and its end after its steps.
struct NotNow;

/// A member, and how far its exchange is.
pub(crate) struct Player {
    pub(crate) member: BudgetMember,
    pub(crate) is_exchanging: bool,
    /// Whether the exchange has made steps that could be stored.
    pub(crate) is_stepped: bool,
}

impl Player {
    /// What has happened to the member.
    pub(crate) fn stats(&self) -> String {
        let stats = self.member.stats();
        let rows = [
            ("exchanges", stats.exchanges),
            ("failed_exchanges", stats.failed_exchanges),
            ("lost_swaps", stats.lost_swaps),
            ("local_decisions", stats.local_decisions),
            ("processes", stats.processes),
        ];
        rows.map(|(name, count)| format!(r#""{name}":"{count}""#)).join(",")
    }

    /// Reads a step, plays it and answers it.
    pub(crate) fn play(&mut self, step: &Members) -> Option<String> {
        let now_ns = word(step.get("now")?)?;
        let Ok(answer) = self.act(text(step.get("do")?)?, step, now_ns)? else {
            return Some(r#"{"error":"not_now"}"#.to_owned());
        };
        let member = &self.member;
        let (due_in, timeout) = (shown(member.due_in(now_ns)), member.timeout_ns());
        let (away, unsent) = (member.is_away(now_ns), member.has_unsent());
        let state = format!(r#""away":{away},"due_in":{due_in},"unsent":{unsent}"#);
        Some(format!(r#"{{{answer}{state},"timeout":"{timeout}"}}"#))
    }

    /// The members of the answer that only this action has, each with a comma.
    fn act(&mut self, action: &str, step: &Members, now_ns: u64) -> Option<Result<String, NotNow>> {
        let member = &mut self.member;
        let times = || {
            let times = step.get("times").map_or(Some(1), |times| whole(times, MAX_TIMES))?;
            (times > 0).then_some(0..times)
        };
        let mut answer = String::new();
        match action {
            "note" => {
                let event = event(step)?;
                let is_local = step.get("local").map_or(Some(false), Value::as_bool)?;
                times()?.for_each(|_| member.note(event, is_local, now_ns));
            }
            "request" => {
                let outcome = outcome(step)?;
                let answers = times()?.map(|_| member.request(outcome, now_ns));
                let (name, held, local) = match answers.last() {
                    Some(MemberAnswer::Granted { held, is_local }) => ("granted", held, is_local),
                    Some(MemberAnswer::Refused) => ("refused", 0, true),
                    Some(MemberAnswer::Waits) | None => ("waits", 0, false),
                };
                answer = format!(r#""answer":"{name}","held":"{held}","local":{local},"#);
            }
            "cancel" => member.cancel(outcome(step)?),
            "begin" if self.is_exchanging => return Some(Err(NotNow)),
            "begin" => {
                member.begin(now_ns);
                self.is_exchanging = true;
            }
            "step" => {
                let text = or(step.get("text"), text).ok()?;
                let store_ns = word(step.get("store_now")?)?;
                if !self.is_exchanging {
                    return Some(Err(NotNow));
                }
                let found = member.step(text.map(str::as_bytes), store_ns);
                self.is_stepped = found.is_some();
                let (after, changed) = match found {
                    Some(SteppedState::Changed(after)) => (Some(after), true),
                    Some(SteppedState::Unchanged(after)) => (Some(after), false),
                    None => (None, false),
                };
                let steps: Vec<_> =
                    member.steps().take_while(|_| after.is_some()).map(shown_step).collect();
                let (after, steps) = (shown(after), steps.join(","));
                answer = format!(r#""after":{after},"changed":{changed},"steps":[{steps}],"#);
            }
            "stored" if !self.is_stepped => return Some(Err(NotNow)),
            "stored" => {
                let answers = member.stored(now_ns);
                (self.is_exchanging, self.is_stepped) = (false, false);
                let granted = row(RETRIED.map(|outcome| answers.granted(outcome)));
                let refused = row(RETRIED.map(|outcome| answers.refused(outcome)));
                let held = row(RETRIED.map(|outcome| answers.held(outcome)));
                answer = format!(r#""granted":[{granted}],"refused":[{refused}],"held":[{held}],"#);
            }
            "lost" if !self.is_exchanging => return Some(Err(NotNow)),
            "lost" => {
                self.is_stepped = false;
                answer = format!(r#""wait":{},"#, shown(member.lost(now_ns)));
            }
            "failed" => {
                let may_be_stored = step.get("stored")?.as_bool()?;
                if !self.is_exchanging {
                    return Some(Err(NotNow));
                }
                member.failed(may_be_stored, now_ns);
                (self.is_exchanging, self.is_stepped) = (false, false);
            }
            "late" => member.late(now_ns),
            _ => return None,
        }
        Some(Ok(answer))
    }
}

/// A step of an exchange.
fn shown_step(step: ExchangeStep) -> String {
    let (outcome, held) = match step.event {
        BudgetEvent::RetryRequested { outcome } => (Some(outcome), 0),
        BudgetEvent::OperationSucceeded { held } => (None, held),
        _ => (None, 0),
    };
    let place = ffi::budget_event_number(step.event) as usize - 1;
    let (event, ExchangeStep { count, granted, .. }) = (ffi::BUDGET_EVENTS[place], step);
    let outcome = shown(outcome);
    let numbers = format!(r#""held":"{held}","count":"{count}","granted":"{granted}""#);
    format!(r#"{{"event":"{event}","outcome":{outcome},{numbers}}}"#)
}
