//! `ttl`: every operation earns a fraction of a retry for a limited time, on top of a reserve
//! (Finagle).

use crate::decision::budget::event::BudgetEvent;
use crate::decision::budget::rule::{BudgetConfig, State, spend};
use crate::field::Field;
use crate::number::arithmetic::NS_PER_SECOND;

const SLICES: u64 = 10;

pub(super) struct Ttl<'a> {
    config: &'a BudgetConfig,
    /// The level of each slice of time: an `i64` in the unit of 1/denominator retry, stored as
    /// `u64`. A retry may spend what earlier slices earned, so a level can be negative.
    levels: &'a mut [u64],
    /// The number of the latest slice.
    latest: &'a mut u64,
}

impl<'a> Ttl<'a> {
    pub(super) fn new(config: &'a BudgetConfig, [levels @ .., latest]: &'a mut State) -> Self {
        Self { config, levels, latest }
    }

    /// Makes one change, and returns how many of the requested retries are granted.
    #[inline]
    pub(super) fn change(&mut self, event: BudgetEvent, times: u64, now_ns: u64) -> u64 {
        match event {
            BudgetEvent::OperationBegan => {
                self.expire(now_ns);
                let earned = u64::from(self.config.ratio().numerator).saturating_mul(times);
                self.add_to_latest(i64::try_from(earned).unwrap_or(i64::MAX));
                0
            }
            BudgetEvent::RetryRequested { .. } => self.try_retries(times, now_ns),
            _ => 0,
        }
    }

    fn try_retries(&mut self, times: u64, now_ns: u64) -> u64 {
        let (mut left, _) = self.level(now_ns);
        let cost = self.config.ratio().denominator.into();
        let granted = spend(&mut left, cost, times);
        let spent = granted.saturating_mul(cost);
        self.add_to_latest(i64::try_from(spent).unwrap_or(i64::MAX).wrapping_neg());
        granted
    }

    /// What is left at a time, and the reserve in it.
    pub(super) fn level(&mut self, now_ns: u64) -> (u64, u64) {
        self.expire(now_ns);
        let reserve = self.reserve();
        // Exact: levels that a store kept may add up to more than 64 bits.
        let sum = |sum: i128, level: &u64| sum.wrapping_add(level.cast_signed().into());
        let sum = self.levels.iter().fold(reserve.into(), sum);
        (u64::try_from(sum.max(0)).unwrap_or(u64::MAX), reserve.unsigned_abs())
    }

    /// Empties all slices if the latest is after the limit.
    pub(super) fn settle(&mut self, limit_ns: u64, now_ns: u64) {
        if *self.latest > self.slice_of(limit_ns) {
            *self.latest = self.slice_of(now_ns);
            self.levels.fill(0);
        }
    }

    /// The number of the slice of a time.
    fn slice_of(&self, now_ns: u64) -> u64 {
        let length_ns = self.config.get(Field::Ttl).wrapping_div(SLICES);
        now_ns.checked_div(length_ns).unwrap_or_default()
    }

    /// Empties the slices that the time has left behind.
    fn expire(&mut self, now_ns: u64) {
        let number = self.slice_of(now_ns).max(*self.latest);
        for passed in 0..number.wrapping_sub(*self.latest).min(SLICES) {
            if let Some(level) = self.levels.get_mut(slot(number.wrapping_sub(passed))) {
                *level = 0;
            }
        }
        *self.latest = number;
    }

    fn add_to_latest(&mut self, amount: i64) {
        if let Some(level) = self.levels.get_mut(slot(*self.latest)) {
            *level = level.cast_signed().saturating_add(amount).cast_unsigned();
        }
    }

    /// The retries that are always granted within the `ttl`, in the denominator of the ratio.
    fn reserve(&self) -> i64 {
        let tokens = self
            .config
            .get(Field::MinPerSecond)
            .saturating_mul(self.config.ratio().denominator.into());
        // floor(tokens * ttl / second), exact in 64 bits: both factors are split at a second.
        let (tokens, token_part) = split_at_second(tokens);
        let (seconds, second_part) = split_at_second(self.config.get(Field::Ttl));
        let (part, _) = split_at_second(token_part.saturating_mul(second_part));
        let reserve = tokens
            .saturating_mul(self.config.get(Field::Ttl))
            .saturating_add(token_part.saturating_mul(seconds))
            .saturating_add(part);
        i64::try_from(reserve).unwrap_or(i64::MAX)
    }
}

/// The quotient and the remainder of a division by the nanoseconds of a second.
fn split_at_second(n: u64) -> (u64, u64) {
    (n.wrapping_div(NS_PER_SECOND), n.wrapping_rem(NS_PER_SECOND))
}

/// The position of a slice among the levels.
fn slot(number: u64) -> usize {
    usize::try_from(number.wrapping_rem(SLICES)).unwrap_or_default()
}
