//! Counts of a member of a shared budget: of events, and of requests after each outcome.

use crate::decision::outcome::Outcome;

/// The outcomes after which a retry may be requested, in the order in which an exchange steps them.
pub(super) const RETRIED: [Outcome; 3] = [Outcome::Transient, Outcome::Throttled, Outcome::Timeout];

/// A number for each outcome that is retried.
pub(super) type ByOutcome = [u64; RETRIED.len()];

/// How often each event happened that a shared budget counts, in the order in which an exchange steps
/// them: those that give come first, so that what they give beyond a full budget is not left for what
/// takes.
pub(super) type Events = [u64; 6];

pub(super) const BEGAN: usize = 0;
/// Successes of operations that hold nothing.
pub(super) const SUCCEEDED: usize = 1;
/// Successes of operations that hold what a retry gives, for each outcome that is retried.
pub(super) const SUCCEEDED_HOLDING: usize = 2;
pub(super) const FAILED: usize = 5;

/// This many events begin an exchange without a request. While the store is away, at most this many of
/// each kind are kept.
pub(super) const MANY_EVENTS: u64 = 100;

/// The most events of a kind, and the most requests of an outcome, that are counted. A damaged count
/// from a caller's memory takes no longer either.
pub(super) const MAX_COUNT: u64 = 1_000_000;

pub(super) fn sum(events: &Events) -> u64 {
    events.iter().copied().fold(0, u64::saturating_add)
}

pub(super) fn add(events: &mut Events, others: Events) {
    for (count, other) in events.iter_mut().zip(others) {
        *count = count.saturating_add(other).min(MAX_COUNT);
    }
}

/// Forgets all but the most that are kept while the store is away.
pub(super) fn keep_some(events: &mut Events) {
    for count in events {
        *count = (*count).min(MANY_EVENTS);
    }
}

/// The place of an outcome that is retried.
pub(super) fn place(outcome: Outcome) -> Option<usize> {
    RETRIED.iter().position(|&retried| retried == outcome)
}

pub(super) fn at(numbers: &mut ByOutcome, outcome: Outcome) -> Option<&mut u64> {
    place(outcome).and_then(|place| numbers.get_mut(place))
}

pub(super) fn of(numbers: &ByOutcome, outcome: Outcome) -> u64 {
    place(outcome).and_then(|place| numbers.get(place)).copied().unwrap_or_default()
}

pub(super) fn set(numbers: &mut ByOutcome, outcome: Outcome, number: u64) {
    if let Some(old) = at(numbers, outcome) {
        *old = number;
    }
}
