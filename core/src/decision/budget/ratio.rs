//! `ratio`: every operation earns a fraction of a retry (SRE book).

use crate::decision::budget::rule::{BudgetConfig, BudgetRule, State, earn, spend};
use crate::decision::outcome::Outcome;
use crate::field::Field;

pub(super) struct RatioBudget<'a> {
    config: &'a BudgetConfig,
    /// In the denominator of the ratio: a retry costs the denominator, and an operation earns the
    /// numerator.
    level: &'a mut u64,
}

impl<'a> RatioBudget<'a> {
    pub(super) fn new(config: &'a BudgetConfig, [level, ..]: &'a mut State) -> Self {
        Self { config, level }
    }

    /// The level of a full budget.
    pub(super) fn capacity(config: &BudgetConfig) -> u64 {
        config.get(Field::MaxTokens).saturating_mul(config.ratio().denominator.into())
    }
}

impl BudgetRule for RatioBudget<'_> {
    fn operation_began(&mut self, times: u64, _now_ns: u64) {
        let earned = u64::from(self.config.ratio().numerator).saturating_mul(times);
        earn(self.level, earned, Self::capacity(self.config));
    }

    fn try_retries(&mut self, _outcome: Outcome, times: u64, _now_ns: u64) -> u64 {
        spend(self.level, self.config.ratio().denominator.into(), times)
    }
}
