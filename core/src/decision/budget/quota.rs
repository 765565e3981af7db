//! `quota`: every retry costs tokens, and a success refunds them (AWS SDKs).

use crate::decision::budget::rule::{BudgetConfig, BudgetRule, State, earn, spend};
use crate::decision::outcome::Outcome;
use crate::field::Field;

pub(super) struct Quota<'a> {
    config: &'a BudgetConfig,
    /// In tokens.
    level: &'a mut u64,
}

impl<'a> Quota<'a> {
    pub(super) fn new(config: &'a BudgetConfig, [level, ..]: &'a mut State) -> Self {
        Self { config, level }
    }

    /// The level of a full budget.
    pub(super) fn capacity(config: &BudgetConfig) -> u64 {
        config.get(Field::MaxTokens)
    }

    /// What a retry after an outcome costs.
    pub(super) fn cost(config: &BudgetConfig, outcome: Outcome) -> u64 {
        config.get(match outcome {
            Outcome::Throttled => Field::CostThrottled,
            Outcome::Timeout => Field::CostTimeout,
            _ => Field::Cost,
        })
    }
}

impl BudgetRule for Quota<'_> {
    fn try_retries(&mut self, outcome: Outcome, times: u64, _now_ns: u64) -> u64 {
        spend(self.level, Self::cost(self.config, outcome), times)
    }

    fn operation_succeeded(&mut self, times: u64, held: u64) {
        // An operation that needed no retry earns one token.
        earn(self.level, held.max(1).saturating_mul(times), Self::capacity(self.config));
    }
}
