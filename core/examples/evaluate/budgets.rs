//! Budgets that are kept elsewhere: their states, and the exchanges of a member of a shared one.

use backoff_core::{
    Budget, BudgetEvent, BudgetMember, BudgetState, ExchangeStep, MemberAnswer, Outcome,
    SteppedState, ffi,
};

use crate::request::{Exchange, MemberAction};
use crate::{digits, place};

const RETRIED: [Outcome; 3] = [Outcome::Transient, Outcome::Throttled, Outcome::Timeout];

/// The budget of a string, or the answer that it is none.
pub(crate) fn parse(text: &str, of: &str) -> Result<Budget, String> {
    Budget::parse(text).map_err(|error| format!(r#"{{{},"of":"{of}"}}"#, place(&error)))
}

/// The answer to the steps of a state, a full one if there is no text.
pub(crate) fn stepped(budget: &str, text: Option<&str>, events: &[(BudgetEvent, u64)]) -> String {
    let budget = match parse(budget, "budget") {
        Ok(budget) => budget,
        Err(answer) => return answer,
    };
    let start = match text {
        Some(text) => BudgetState::parse(&budget, text),
        None => Some(BudgetState::full(&budget)),
    };
    let Some(mut state) = start else {
        return r#"{"error":"not_a_state","at":0,"of":"text"}"#.to_owned();
    };
    let mut answers = Vec::new();
    for (event, now_ns) in events {
        let held;
        (state, held) = state.step(*event, *now_ns);
        let granted = match event {
            BudgetEvent::RetryRequested { .. } => held.is_some().to_string(),
            _ => "null".to_owned(),
        };
        let holds = held.unwrap_or(0);
        answers.push(format!(r#"{{"granted":{granted},"holds":"{holds}","state":"{state}"}}"#));
    }
    format!(r#"{{"budget":"{budget}","answers":[{}]}}"#, answers.join(","))
}

/// The answer to the exchanges of a member.
pub(crate) fn exchanged(budget: &str, exchange: &Exchange) -> String {
    let budgets =
        parse(budget, "budget").and_then(|budget| Ok((budget, parse(&exchange.local, "local")?)));
    let (budget, local) = match budgets {
        Ok(budgets) => budgets,
        Err(answer) => return answer,
    };
    // A process that dies would hold its slots for ever.
    if budget.to_string().starts_with("concurrent") {
        return r#"{"error":"not_shared","at":0,"of":"budget"}"#.to_owned();
    }
    let Exchange { lease, fallback, timeout_ns, seed, .. } = *exchange;
    let member = BudgetMember::new(&budget, &local, lease, fallback, timeout_ns, seed);
    let mut player = Player { member, is_exchanging: false, is_stepped: false };
    let answers: Vec<_> =
        exchange.steps.iter().map(|(action, now_ns)| player.play(action, *now_ns)).collect();
    let (answers, stats) = (answers.join(","), stats_of(&player.member));
    format!(r#"{{"budget":"{budget}","local":"{local}","answers":[{answers}],"stats":{stats}}}"#)
}

/// What has happened to a member.
fn stats_of(member: &BudgetMember) -> String {
    let stats = member.stats();
    let rows = [
        ("exchanges", stats.exchanges),
        ("failed_exchanges", stats.failed_exchanges),
        ("lost_swaps", stats.lost_swaps),
        ("local_decisions", stats.local_decisions),
        ("processes", stats.processes),
    ];
    format!("{{{}}}", rows.map(|(name, count)| format!(r#""{name}":"{count}""#)).join(","))
}

/// A member, and how far its exchange is.
struct Player {
    member: BudgetMember,
    is_exchanging: bool,
    /// Whether the exchange has made steps that could be stored.
    is_stepped: bool,
}

impl Player {
    fn play(&mut self, action: &MemberAction, now_ns: u64) -> String {
        if !self.is_now(action) {
            return r#"{"error":"not_now"}"#.to_owned();
        }
        let answer = self.act(action, now_ns);
        let member = &self.member;
        let (due_in, timeout) = (digits(member.due_in(now_ns)), member.timeout_ns());
        let (away, unsent) = (member.is_away(now_ns), member.has_unsent());
        let state = format!(r#""away":{away},"due_in":{due_in},"unsent":{unsent}"#);
        format!(r#"{{{answer}{state},"timeout":"{timeout}"}}"#)
    }

    /// One exchange at a time, and its end after its steps.
    fn is_now(&self, action: &MemberAction) -> bool {
        match action {
            MemberAction::Begin => !self.is_exchanging,
            MemberAction::Stored => self.is_stepped,
            MemberAction::Step { .. } | MemberAction::Lost | MemberAction::Failed { .. } => {
                self.is_exchanging
            }
            _ => true,
        }
    }

    /// The members of the answer that only this action has, each with a comma.
    fn act(&mut self, action: &MemberAction, now_ns: u64) -> String {
        let member = &mut self.member;
        match *action {
            MemberAction::Note { event, is_local, times } => {
                (0..times).for_each(|_| member.note(event, is_local, now_ns));
            }
            MemberAction::Request { outcome, times } => {
                let answers = (0..times).map(|_| member.request(outcome, now_ns));
                let (answer, held, local) = match answers.last() {
                    Some(MemberAnswer::Granted { held, is_local }) => ("granted", held, is_local),
                    Some(MemberAnswer::Refused) => ("refused", 0, true),
                    Some(MemberAnswer::Waits) | None => ("waits", 0, false),
                };
                return format!(r#""answer":"{answer}","held":"{held}","local":{local},"#);
            }
            MemberAction::Cancel { outcome } => member.cancel(outcome),
            MemberAction::Begin => {
                member.begin(now_ns);
                self.is_exchanging = true;
            }
            MemberAction::Step { ref text, store_ns } => {
                let found = member.step(text.as_deref().map(str::as_bytes), store_ns);
                self.is_stepped = found.is_some();
                let (after, changed) = match found {
                    Some(SteppedState::Changed(after)) => (after, true),
                    Some(SteppedState::Unchanged(after)) => (after, false),
                    None => return r#""after":null,"changed":false,"steps":[],"#.to_owned(),
                };
                let steps = member.steps().map(shown).collect::<Vec<_>>().join(",");
                return format!(r#""after":"{after}","changed":{changed},"steps":[{steps}],"#);
            }
            MemberAction::Stored => {
                let answers = member.stored(now_ns);
                (self.is_exchanging, self.is_stepped) = (false, false);
                let row = |number: &dyn Fn(Outcome) -> u64| {
                    RETRIED.map(|outcome| format!("\"{}\"", number(outcome))).join(",")
                };
                let granted = row(&|outcome| answers.granted(outcome));
                let refused = row(&|outcome| answers.refused(outcome));
                let held = row(&|outcome| answers.held(outcome));
                return format!(r#""granted":[{granted}],"refused":[{refused}],"held":[{held}],"#);
            }
            MemberAction::Lost => {
                self.is_stepped = false;
                return format!(r#""wait":{},"#, digits(member.lost(now_ns)));
            }
            MemberAction::Failed { may_be_stored } => {
                member.failed(may_be_stored, now_ns);
                (self.is_exchanging, self.is_stepped) = (false, false);
            }
            MemberAction::Late => member.late(now_ns),
        }
        String::new()
    }
}

/// A step of an exchange.
fn shown(step: ExchangeStep) -> String {
    let (outcome, held) = match step.event {
        BudgetEvent::RetryRequested { outcome } => (format!("\"{}\"", outcome.name()), 0),
        BudgetEvent::OperationSucceeded { held } => ("null".to_owned(), held),
        _ => ("null".to_owned(), 0),
    };
    let place = ffi::budget_event_number(step.event) as usize - 1;
    let (event, ExchangeStep { count, granted, .. }) = (ffi::BUDGET_EVENTS[place], step);
    let numbers = format!(r#""held":"{held}","count":"{count}","granted":"{granted}""#);
    format!(r#"{{"event":"{event}","outcome":{outcome},{numbers}}}"#)
}
