//! One exchange of a process with the store of a shared budget (SPEC 15.7): its steps and its answers.

use crate::decision::budget::counts::{ByOutcome, of};
use crate::decision::budget::event::BudgetEvent;
use crate::decision::budget::shared_state::SharedState;
use crate::decision::outcome::Outcome;

/// What the steps of an exchange have made of the text of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SteppedState {
    /// Nothing changed, so there is nothing to swap. The exchange is over: call
    /// [`BudgetMember::stored`](crate::BudgetMember::stored).
    Unchanged(SharedState),
    /// The state to swap for the text that was loaded.
    Changed(SharedState),
}

/// A step of an exchange that happened `count` times in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExchangeStep {
    /// What happened.
    pub event: BudgetEvent,
    /// How often. Never 0.
    pub count: u64,
    /// The number of retries that were granted, which are the first; 0 for any other event.
    pub granted: u64,
}

/// What an exchange has answered: for each outcome, the oldest requests are granted, and those after
/// them refused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExchangeAnswers {
    pub(super) granted: ByOutcome,
    pub(super) refused: ByOutcome,
    pub(super) held: ByOutcome,
}

impl ExchangeAnswers {
    /// The number of requests after this outcome that are granted: the oldest.
    #[must_use]
    pub fn granted(&self, outcome: Outcome) -> u64 {
        of(&self.granted, outcome)
    }

    /// The number of requests after this outcome that are refused: the oldest but those granted.
    #[must_use]
    pub fn refused(&self, outcome: Outcome) -> u64 {
        of(&self.refused, outcome)
    }

    /// What an operation holds whose retry is granted after this outcome.
    #[must_use]
    pub fn held(&self, outcome: Outcome) -> u64 {
        of(&self.held, outcome)
    }
}

/// The answer of a [`BudgetMember`](crate::BudgetMember) to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberAnswer {
    /// The retry is granted.
    Granted {
        /// What the operation holds until it succeeds.
        held: u64,
        /// Whether the local budget decided.
        is_local: bool,
    },
    /// The local budget has refused the retry.
    Refused,
    /// The next exchange answers it.
    Waits,
}

/// What a process has exchanged with the store of a shared budget.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SharedBudgetStats {
    /// The exchanges that began.
    pub exchanges: u64,
    /// Those that failed.
    pub failed_exchanges: u64,
    /// The swaps that another process made first.
    pub lost_swaps: u64,
    /// The requests that the local budget answered, because the store was away.
    pub local_decisions: u64,
    /// How many processes the account has told of, with this one.
    pub processes: u64,
}
