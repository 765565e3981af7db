//! All kinds of budgets: the state of a full one, and a change to the account of one.

use crate::decision::budget::concurrent::Concurrent;
use crate::decision::budget::quota::Quota;
use crate::decision::budget::rate::Rate;
use crate::decision::budget::ratio::RatioBudget;
use crate::decision::budget::rule::{BudgetConfig, BudgetRule, State};
use crate::decision::budget::throttle::Throttle;
use crate::decision::budget::ttl::Ttl;
use crate::decision::outcome::Outcome;
use crate::field::kind::{CONCURRENT, QUOTA, RATE, RATIO, THROTTLE, TTL};
use crate::number::arithmetic::NS_PER_SECOND;

/// The state of a full budget.
pub(super) fn full(config: &BudgetConfig) -> State {
    let mut state = State::default();
    let [level, ..] = &mut state;
    *level = capacity(config).unwrap_or_default();
    state
}

/// The highest level, of kinds that have one.
pub(super) fn capacity(config: &BudgetConfig) -> Option<u64> {
    match config.kind() {
        QUOTA => Some(Quota::capacity(config)),
        THROTTLE => Some(Throttle::capacity(config)),
        RATIO => Some(RatioBudget::capacity(config)),
        RATE => Some(Rate::capacity(config)),
        _ => None,
    }
}

/// Makes one change to the account of the budget's kind.
pub(super) fn change<T: Default>(
    config: &BudgetConfig,
    state: &mut State,
    change: impl FnOnce(&mut dyn BudgetRule) -> T,
) -> T {
    match config.kind() {
        QUOTA => change(&mut Quota::new(config, state)),
        THROTTLE => change(&mut Throttle::new(config, state)),
        RATIO => change(&mut RatioBudget::new(config, state)),
        RATE => change(&mut Rate::new(config, state)),
        TTL => change(&mut Ttl::new(config, state)),
        CONCURRENT => change(&mut Concurrent::new(config, state)),
        _ => T::default(),
    }
}

/// What a granted retry after an outcome gives to its operation.
pub(super) fn cost(config: &BudgetConfig, outcome: Outcome) -> u64 {
    match config.kind() {
        QUOTA => Quota::cost(config, outcome),
        CONCURRENT => 1,
        _ => 0,
    }
}

/// How far ahead of the clock the time in a state may be.
const MAX_AHEAD_NS: u64 = 60 * NS_PER_SECOND;

/// Corrects a time that is too far ahead of the clock.
pub(super) fn settle(config: &BudgetConfig, state: &mut State, now_ns: u64) {
    let limit_ns = now_ns.saturating_add(MAX_AHEAD_NS);
    match config.kind() {
        RATE => Rate::new(config, state).settle(limit_ns, now_ns),
        TTL => Ttl::new(config, state).settle(limit_ns, now_ns),
        _ => {}
    }
}
