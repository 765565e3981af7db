//! What a budget file holds.

use anyhow::{Context, Result};
use backoff_core::ffi::{
    BUDGET_FIELDS, OPERATION_WORDS, budget_from_words, budget_to_words, operation_from_words,
    operation_to_words,
};
use backoff_core::{Budget, Operation, Policy};
use serde::{Deserialize, Serialize};

use super::clock::{Clock, Reading};

/// The state of a budget, its clock, and the operations that hold something of it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct State {
    /// The canonical budget string.
    pub(super) budget: String,
    pub(super) clock: Clock,
    /// The budget as plain numbers, without those of its string.
    words: Vec<u64>,
    pub(super) next_member: u64,
    members: Vec<(u64, [u64; OPERATION_WORDS])>,
}

impl State {
    /// The state of a full budget.
    pub(super) fn new(budget: &Budget, reading: &Reading) -> Self {
        let mut state = Self {
            budget: budget.to_string(),
            clock: Clock::new(reading),
            words: Vec::new(),
            next_member: 0,
            members: Vec::new(),
        };
        state.set_budget(budget);
        state
    }

    pub(super) fn parse(bytes: &[u8]) -> Result<Self> {
        serde_json::from_slice(bytes).context("it cannot be read")
    }

    pub(super) fn to_bytes(&self) -> Result<Vec<u8>> {
        Ok(serde_json::to_vec(self)?)
    }

    /// The budget; `full` is that of its string.
    pub(super) fn budget(&self, full: &Budget) -> Result<Budget> {
        let mut words = budget_to_words(full);
        let state = words.get_mut(BUDGET_FIELDS.len()..).unwrap_or_default();
        let is_complete = state.len() == self.words.len();
        is_complete.then(|| state.copy_from_slice(&self.words)).context("it is incomplete")?;
        Ok(budget_from_words(&words))
    }

    pub(super) fn set_budget(&mut self, budget: &Budget) {
        self.words = budget_to_words(budget).into_iter().skip(BUDGET_FIELDS.len()).collect();
    }

    /// Records an operation, or removes one that has stopped.
    pub(super) fn put(&mut self, number: u64, operation: &Operation) {
        self.members.retain(|(member, _)| *member != number);
        if operation.reason().is_none() {
            self.members.push((number, operation_to_words(operation)));
        }
    }

    /// Cancels the operations whose processes have ended. The own one is alive.
    pub(super) fn cancel_dead(
        &mut self,
        budget: &Budget,
        own: Option<u64>,
        is_alive: impl Fn(u64) -> Result<bool>,
    ) -> Result<()> {
        // Any policy will do: a cancellation does not use it.
        let policy = Policy::parse("constant:base=1s")?;
        let mut alive = Vec::with_capacity(self.members.len());
        for (number, words) in self.members.drain(..) {
            if own == Some(number) || is_alive(number)? {
                alive.push((number, words));
            } else {
                operation_from_words(policy, &words).cancel(Some(budget));
            }
        }
        self.members = alive;
        Ok(())
    }
}
