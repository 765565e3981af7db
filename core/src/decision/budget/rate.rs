//! `rate`: a token bucket that fills with time (SRE book).

use crate::decision::budget::rule::{BudgetConfig, BudgetRule, State, earn, spend};
use crate::decision::outcome::Outcome;
use crate::field::Field;

pub(super) struct Rate<'a> {
    config: &'a BudgetConfig,
    /// In nanoseconds of filling: a retry costs `per`, and a nanosecond earns `max_tokens`.
    level: &'a mut u64,
    /// The latest time of a retry, granted or not.
    last_ns: &'a mut u64,
}

impl<'a> Rate<'a> {
    pub(super) fn new(config: &'a BudgetConfig, [level, last_ns, ..]: &'a mut State) -> Self {
        Self { config, level, last_ns }
    }

    /// The level of a full budget.
    pub(super) fn capacity(config: &BudgetConfig) -> u64 {
        config.get(Field::MaxTokens).saturating_mul(config.get(Field::Per))
    }

    /// Counts a time after the limit as now.
    pub(super) const fn settle(&mut self, limit_ns: u64, now_ns: u64) {
        if *self.last_ns > limit_ns {
            *self.last_ns = now_ns;
        }
    }
}

impl BudgetRule for Rate<'_> {
    fn try_retries(&mut self, _outcome: Outcome, times: u64, now_ns: u64) -> u64 {
        let passed_ns = now_ns.saturating_sub(*self.last_ns);
        let earned = passed_ns.saturating_mul(self.config.get(Field::MaxTokens));
        earn(self.level, earned, Self::capacity(self.config));
        *self.last_ns = now_ns.max(*self.last_ns);
        spend(self.level, self.config.get(Field::Per), times)
    }
}
