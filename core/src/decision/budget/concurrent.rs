//! `concurrent`: only a fraction of the active operations may retry at the same time (Envoy).

use crate::decision::budget::rule::{BudgetConfig, BudgetRule, State};
use crate::decision::outcome::Outcome;
use crate::field::Field;

pub(super) struct Concurrent<'a> {
    config: &'a BudgetConfig,
    /// The operations that have begun and not ended.
    active: &'a mut u64,
    /// The retries that are waiting or being attempted.
    retrying: &'a mut u64,
}

impl<'a> Concurrent<'a> {
    pub(super) fn new(config: &'a BudgetConfig, [active, retrying, ..]: &'a mut State) -> Self {
        Self { config, active, retrying }
    }
}

impl BudgetRule for Concurrent<'_> {
    fn operation_began(&mut self, times: u64, _now_ns: u64) {
        *self.active = self.active.saturating_add(times);
    }

    fn release_slot(&mut self) {
        *self.retrying = self.retrying.saturating_sub(1);
    }

    fn try_retries(&mut self, _outcome: Outcome, times: u64, _now_ns: u64) -> u64 {
        let fraction = self.config.ratio().scale(*self.active);
        let slots = fraction.max(self.config.get(Field::MinConcurrent));
        let granted = slots.saturating_sub(*self.retrying).min(times);
        *self.retrying = self.retrying.saturating_add(granted);
        granted
    }

    fn operation_ended(&mut self) {
        *self.active = self.active.saturating_sub(1);
    }
}
