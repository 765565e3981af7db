//! `concurrent`: only a fraction of the active operations may retry at the same time (Envoy).

use crate::decision::budget::account::{Account, BudgetConfig, State};
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

impl Account for Concurrent<'_> {
    fn operation_began(&mut self, times: u64, _now_ns: u64) {
        *self.active = self.active.saturating_add(times);
    }

    fn release_slot(&mut self) {
        *self.retrying = self.retrying.saturating_sub(1);
    }

    fn try_retry(&mut self, _outcome: Outcome, _now_ns: u64) -> Option<u64> {
        let fraction = self.config.ratio().scale(*self.active);
        let is_granted = *self.retrying < fraction.max(self.config.get(Field::MinConcurrent));
        *self.retrying = self.retrying.saturating_add(is_granted.into());
        is_granted.then_some(1)
    }

    fn operation_ended(&mut self) {
        *self.active = self.active.saturating_sub(1);
    }
}
