//! All kinds of budgets: the columns of SPEC 15.3, each kind in a function.
#![expect(
    clippy::inline_always,
    reason = "callers know the event: only its arms are left, and the state stays in registers"
)]

use crate::decision::budget::event::BudgetEvent::{
    self, AttemptFailed, AttemptOver, OperationBegan, OperationEnded, OperationSucceeded,
    RetryRequested,
};
use crate::decision::budget::level::BudgetLevel;
use crate::decision::budget::rule::{BudgetConfig, State, earn, spend};
use crate::decision::budget::ttl::Ttl;
use crate::decision::outcome::Outcome;
use crate::field::Field;
use crate::field::kind::{CONCURRENT, QUOTA, RATE, RATIO, THROTTLE, TTL};
use crate::number::arithmetic::NS_PER_SECOND;

/// The units of a token of `throttle`.
const TOKEN: u64 = 1000;

/// The state of a full budget.
pub(super) fn full(config: &BudgetConfig) -> State {
    let mut state = State::default();
    let [level, ..] = &mut state;
    *level = capacity(config).unwrap_or_default();
    state
}

/// The highest level, of kinds that have one.
pub(super) fn capacity(config: &BudgetConfig) -> Option<u64> {
    let has_one = matches!(config.kind(), QUOTA | THROTTLE | RATIO | RATE);
    has_one.then(|| config.get(Field::MaxTokens).saturating_mul(unit(config)))
}

/// The parts of a token, in which levels count.
fn unit(config: &BudgetConfig) -> u64 {
    match config.kind() {
        THROTTLE => TOKEN,
        // A retry costs the denominator of the ratio, and an operation earns the numerator.
        RATIO | TTL => config.ratio().denominator.into(),
        // In nanoseconds of filling: a retry costs `per`, and a nanosecond earns `max_tokens`.
        RATE => config.get(Field::Per),
        _ => 1,
    }
}

/// What is left (SPEC 15.9). The state may go on to the time.
pub(super) fn level(config: &BudgetConfig, state: &mut State, now_ns: u64) -> BudgetLevel {
    let unit = unit(config).max(1);
    let max = capacity(config).unwrap_or_default();
    let [first, second, ..] = state;
    let (level, max) = match config.kind() {
        RATE => {
            fill(config, first, second, now_ns);
            (*first, max)
        }
        TTL => Ttl::new(config, state).level(now_ns),
        CONCURRENT => {
            let slots = slots(config, *first);
            (slots.saturating_sub(*second), slots)
        }
        _ => (*first, max),
    };
    BudgetLevel { level, max, unit }
}

/// Makes one change to the state. An event that takes or gives tokens can happen several times at once.
/// Returns how many of the retries that are requested are granted: the first ones.
#[inline(always)]
pub(super) fn change(
    config: &BudgetConfig,
    state: &mut State,
    event: BudgetEvent,
    times: u64,
    now_ns: u64,
) -> u64 {
    let [first, second, ..] = state;
    match config.kind() {
        QUOTA => quota(config, first, event, times),
        THROTTLE => throttle(config, first, event, times),
        RATIO => ratio(config, first, event, times),
        RATE => rate(config, first, second, event, times, now_ns),
        TTL => Ttl::new(config, state).change(event, times, now_ns),
        CONCURRENT => concurrent(config, first, second, event, times),
        _ => 0,
    }
}

/// Every retry costs tokens, and a success refunds them (AWS SDKs).
#[inline(always)]
fn quota(config: &BudgetConfig, level: &mut u64, event: BudgetEvent, times: u64) -> u64 {
    match event {
        RetryRequested { outcome } => return spend(level, cost(config, outcome), times),
        OperationSucceeded { held } => {
            // An operation that needed no retry earns one token.
            earn(level, held.max(1).saturating_mul(times), config.get(Field::MaxTokens));
        }
        _ => {}
    }
    0
}

/// Failures take tokens, and retries stop below half of them (gRPC).
#[inline(always)]
fn throttle(config: &BudgetConfig, level: &mut u64, event: BudgetEvent, times: u64) -> u64 {
    let capacity = capacity(config).unwrap_or_default();
    match event {
        AttemptFailed => *level = level.saturating_sub(TOKEN.saturating_mul(times)),
        RetryRequested { .. } if level.saturating_mul(2) > capacity => return times,
        OperationSucceeded { .. } => {
            earn(level, config.ratio().scale(TOKEN).saturating_mul(times), capacity);
        }
        _ => {}
    }
    0
}

/// Every operation earns a fraction of a retry (SRE book).
#[inline(always)]
fn ratio(config: &BudgetConfig, level: &mut u64, event: BudgetEvent, times: u64) -> u64 {
    match event {
        OperationBegan => {
            let earned = u64::from(config.ratio().numerator).saturating_mul(times);
            earn(level, earned, capacity(config).unwrap_or_default());
        }
        RetryRequested { .. } => return spend(level, config.ratio().denominator.into(), times),
        _ => {}
    }
    0
}

/// A token bucket that fills with time (SRE book), which goes on at the latest time of a retry, granted
/// or not.
#[inline(always)]
fn rate(
    config: &BudgetConfig,
    level: &mut u64,
    last_ns: &mut u64,
    event: BudgetEvent,
    times: u64,
    now_ns: u64,
) -> u64 {
    let RetryRequested { .. } = event else { return 0 };
    fill(config, level, last_ns, now_ns);
    spend(level, config.get(Field::Per), times)
}

/// What a token bucket has earned since the latest time.
#[inline(always)]
fn fill(config: &BudgetConfig, level: &mut u64, last_ns: &mut u64, now_ns: u64) {
    let earned = now_ns.saturating_sub(*last_ns).saturating_mul(config.get(Field::MaxTokens));
    earn(level, earned, capacity(config).unwrap_or_default());
    *last_ns = now_ns.max(*last_ns);
}

/// How many of the active operations may retry at the same time.
#[inline(always)]
fn slots(config: &BudgetConfig, active: u64) -> u64 {
    config.ratio().scale(active).max(config.get(Field::MinConcurrent))
}

/// Only a fraction of the active operations, those that have begun and not ended, may retry at the same
/// time (Envoy).
#[inline(always)]
fn concurrent(
    config: &BudgetConfig,
    active: &mut u64,
    retrying: &mut u64,
    event: BudgetEvent,
    times: u64,
) -> u64 {
    match event {
        OperationBegan => *active = active.saturating_add(times),
        OperationEnded => *active = active.saturating_sub(1),
        AttemptOver { held } if held > 0 => *retrying = retrying.saturating_sub(1),
        RetryRequested { .. } => {
            let granted = slots(config, *active).saturating_sub(*retrying).min(times);
            *retrying = retrying.saturating_add(granted);
            return granted;
        }
        _ => {}
    }
    0
}

/// What a granted retry after an outcome gives to its operation.
pub(super) fn cost(config: &BudgetConfig, outcome: Outcome) -> u64 {
    match (config.kind(), outcome) {
        (QUOTA, Outcome::Throttled) => config.get(Field::CostThrottled),
        (QUOTA, Outcome::Timeout) => config.get(Field::CostTimeout),
        (QUOTA, _) => config.get(Field::Cost),
        (CONCURRENT, _) => 1,
        _ => 0,
    }
}

/// How far ahead of the clock the time in a state may be.
const MAX_AHEAD_NS: u64 = 60 * NS_PER_SECOND;

/// Corrects a time that is too far ahead of the clock.
pub(super) fn settle(config: &BudgetConfig, state: &mut State, now_ns: u64) {
    let limit_ns = now_ns.saturating_add(MAX_AHEAD_NS);
    let [_, last_ns, ..] = state;
    match config.kind() {
        RATE if *last_ns > limit_ns => *last_ns = now_ns,
        TTL => Ttl::new(config, state).settle(limit_ns, now_ns),
        _ => {}
    }
}
