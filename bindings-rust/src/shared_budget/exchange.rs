//! One exchange with a store: it loads the state, the core steps it, the store swaps it.

use std::error::Error;
use std::fmt;

use backoff_core::{Budget, BudgetEvent, BudgetState, Outcome};

use crate::shared_budget::store::{BudgetStore, StoreError, Stored};

/// One exchange of a [`SharedBudget`](crate::SharedBudget) with its store, as
/// [`on_exchange`](crate::SharedBudgetBuilder::on_exchange) receives it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BudgetExchange {
    /// The text that was stored; `None` if there was none, which is a full budget.
    pub before: Option<String>,
    /// The time of the store in nanoseconds since 1970.
    pub now_ns: u64,
    /// What happened since the exchange before, in order.
    pub steps: Vec<BudgetStep>,
    /// The text of the state after the steps.
    pub after: String,
    /// Whether the store has `after`.
    pub stored: WasStored,
}

/// A step of a [`BudgetExchange`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct BudgetStep {
    /// What happened.
    pub event: BudgetEvent,
    /// Whether the retry was granted; `None` if none was requested.
    pub granted: Option<bool>,
    /// What the operation holds: that of the event, or after a granted retry what it gave.
    pub held: u64,
}

/// Whether a store has the state after a [`BudgetExchange`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WasStored {
    /// The store swapped it.
    Yes,
    /// The steps changed nothing, so there was nothing to store.
    Unchanged,
    /// Another process was faster, and the time for another try is over.
    Lost,
    /// The store did not say in time whether it swapped it.
    Unknown,
}

/// What an exchange is about.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) events: Vec<BudgetEvent>,
    /// The outcomes of the attempts whose retries are requested.
    pub(super) requests: Vec<Outcome>,
}

/// The answer to each request, in order: what the operation then holds, or `None` if it is refused.
/// And the retries that were granted beyond them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Answers {
    pub(super) requests: Vec<Option<u64>>,
    pub(super) leased: Vec<(Outcome, u64)>,
}

/// An exchange that failed.
pub(super) struct Failure {
    pub(super) error: StoreError,
    /// Whether the store may have the steps nevertheless.
    pub(super) may_be_stored: bool,
}

impl Failure {
    fn of(error: impl Into<StoreError>) -> Self {
        Self { error: error.into(), may_be_stored: false }
    }
}

/// A stored text that is not the state of the budget.
#[derive(Debug)]
struct NotAState {
    key: String,
    text: String,
}

impl fmt::Display for NotAState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, text } = self;
        write!(
            f,
            "under the key {key:?} the store has {text:?}, which is not the state of this budget"
        )
    }
}

impl Error for NotAState {}

/// Every try was lost to another process.
#[derive(Debug)]
struct AlwaysLost;

impl fmt::Display for AlwaysLost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("other processes changed the state in every try before the timeout")
    }
}

impl Error for AlwaysLost {}

/// The budget of a store.
pub(super) struct Kept {
    pub(super) key: String,
    pub(super) budget: Budget,
    /// How many retries a request asks for.
    pub(super) lease: u32,
}

impl Kept {
    /// Exchanges a batch. `is_late` says whether the time for another try is over. `seen` becomes the
    /// last try that came to a swap, or did not need one.
    pub(super) fn exchange(
        &self,
        store: &mut dyn BudgetStore,
        batch: &Batch,
        is_late: impl Fn() -> bool,
        seen: &mut Option<BudgetExchange>,
    ) -> Result<Answers, Failure> {
        loop {
            let Stored { text, now_ns } = store.load(&self.key).map_err(Failure::of)?;
            let before = match &text {
                None => BudgetState::full(&self.budget),
                Some(text) => BudgetState::parse(&self.budget, text).ok_or_else(|| {
                    Failure::of(NotAState { key: self.key.clone(), text: text.clone() })
                })?,
            };
            let (after, steps, answers) = self.apply(before, batch, now_ns);
            let swapped = if after == before {
                None
            } else {
                Some(store.swap(&self.key, text.as_deref(), after.text().as_str()))
            };
            let stored = match &swapped {
                None => WasStored::Unchanged,
                Some(Ok(true)) => WasStored::Yes,
                Some(Ok(false)) if !is_late() => continue,
                Some(Ok(false)) => WasStored::Lost,
                Some(Err(_)) => WasStored::Unknown,
            };
            *seen = Some(BudgetExchange {
                before: text,
                now_ns,
                steps,
                after: after.to_string(),
                stored,
            });
            return match swapped {
                None | Some(Ok(true)) => Ok(answers),
                Some(Ok(false)) => Err(Failure::of(AlwaysLost)),
                Some(Err(error)) => Err(Failure { error, may_be_stored: true }),
            };
        }
    }

    fn apply(
        &self,
        before: BudgetState,
        batch: &Batch,
        now_ns: u64,
    ) -> (BudgetState, Vec<BudgetStep>, Answers) {
        let (mut state, mut steps, mut answers) = (before, Vec::new(), Answers::default());
        let mut step = |event| {
            let (after, granted) = state.step(event, now_ns);
            let is_request = matches!(event, BudgetEvent::RetryRequested { .. });
            let held = granted.unwrap_or(held(event));
            state = after;
            steps.push(BudgetStep {
                event,
                granted: is_request.then_some(granted.is_some()),
                held,
            });
            granted
        };
        for &event in &batch.events {
            step(event);
        }
        for &outcome in &batch.requests {
            let answer = take(&mut answers.leased, outcome).or_else(|| {
                let event = BudgetEvent::RetryRequested { outcome };
                let granted = step(event)?;
                let more = (1..self.lease).map_while(|_| step(event));
                answers.leased.extend(more.map(|held| (outcome, held)));
                Some(granted)
            });
            answers.requests.push(answer);
        }
        (state, steps, answers)
    }
}

/// Takes a leased retry of this outcome.
pub(super) fn take(leased: &mut Vec<(Outcome, u64)>, outcome: Outcome) -> Option<u64> {
    let at = leased.iter().position(|(of, _)| *of == outcome)?;
    Some(leased.remove(at).1)
}

fn held(event: BudgetEvent) -> u64 {
    match event {
        BudgetEvent::AttemptOver { held } | BudgetEvent::OperationSucceeded { held } => held,
        _ => 0,
    }
}
