//! `throttle`: failures take tokens, and retries stop below half of them (gRPC).

use crate::decision::budget::rule::{BudgetConfig, BudgetRule, State, earn};
use crate::decision::outcome::Outcome;
use crate::field::Field;

/// The units of a token.
const TOKEN: u64 = 1000;

pub(super) struct Throttle<'a> {
    config: &'a BudgetConfig,
    /// In thousandths of a token.
    level: &'a mut u64,
}

impl<'a> Throttle<'a> {
    pub(super) fn new(config: &'a BudgetConfig, [level, ..]: &'a mut State) -> Self {
        Self { config, level }
    }

    /// The level of a full budget.
    pub(super) fn capacity(config: &BudgetConfig) -> u64 {
        config.get(Field::MaxTokens).saturating_mul(TOKEN)
    }
}

impl BudgetRule for Throttle<'_> {
    fn attempt_failed(&mut self, times: u64) {
        *self.level = self.level.saturating_sub(TOKEN.saturating_mul(times));
    }

    fn try_retries(&mut self, _outcome: Outcome, times: u64, _now_ns: u64) -> u64 {
        let is_open = self.level.saturating_mul(2) > Self::capacity(self.config);
        if is_open { times } else { 0 }
    }

    fn operation_succeeded(&mut self, times: u64, _held: u64) {
        let earned = self.config.ratio().scale(TOKEN).saturating_mul(times);
        earn(self.level, earned, Self::capacity(self.config));
    }
}
