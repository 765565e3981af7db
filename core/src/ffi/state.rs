//! Budgets, operations and stats as plain numbers that other languages keep in their own memory.

use crate::decision::budget::Budget;
use crate::decision::budget::event::BudgetEvent;
use crate::decision::budget::member::BudgetMember;
use crate::decision::failure::exceeded;
use crate::decision::operation::Operation;
use crate::decision::outcome::{Outcome, StopReason};
pub use crate::decision::progress::Progress;
use crate::decision::stats::RetryStats;
use crate::decision::stats_text;
pub use crate::decision::stats_text::Refused;
use crate::field::Field;
use crate::policy::Policy;

/// The length of [`budget_to_words`].
pub const BUDGET_WORDS: usize = Budget::WORDS;

/// The length of [`operation_to_words`].
pub const OPERATION_WORDS: usize = Progress::WORDS;

/// The length of [`stats_to_words`].
pub const STATS_WORDS: usize = RetryStats::WORDS;

/// The number of buckets of stats.
pub const STATS_BUCKETS: usize = RetryStats::BUCKETS;

/// The reason to stop after an outcome that is not throttled, of an operation that has no budget and no server that asks for
/// a wait, by the numbers of its policy and the delay of its index. `None` to wait for that delay.
#[must_use]
#[inline]
pub fn reason_to_stop(
    outcome: Outcome,
    (retries, max_retries): (u64, u64),
    (began_ns, max_elapsed_ns): (u64, u64),
    deadline_ns: Option<u64>,
    now_ns: u64,
    delay_ns: u64,
) -> Option<StopReason> {
    match outcome {
        Outcome::Success => Some(StopReason::Success),
        Outcome::Permanent => Some(StopReason::Permanent),
        _ if retries >= max_retries => Some(StopReason::MaxRetries),
        _ => exceeded(max_elapsed_ns, began_ns, deadline_ns, now_ns, delay_ns),
    }
}

/// The value of a field of a budget with the defaults filled in, if its kind uses the field.
///
/// ```
/// use backoff_core::ffi::budget_value;
/// use backoff_core::{Budget, Field};
/// let budget = Budget::parse("quota:cost=14")?;
/// assert_eq!(budget_value(&budget, Field::Budget), Some(1));
/// assert_eq!(budget_value(&budget, Field::CostTimeout), Some(14));
/// assert_eq!(budget_value(&budget, Field::Ttl), None);
/// # Ok::<(), backoff_core::ParseError>(())
/// ```
#[must_use]
pub fn budget_value(budget: &Budget, field: Field) -> Option<u64> {
    budget.number(field)
}

/// A budget as plain numbers.
#[must_use]
pub fn budget_to_words(budget: &Budget) -> [u64; BUDGET_WORDS] {
    budget.to_words()
}

/// The budget of such numbers.
#[must_use]
pub fn budget_from_words(words: &[u64; BUDGET_WORDS]) -> Budget {
    Budget::from_words(words)
}

/// The length of [`member_to_words`].
pub const MEMBER_WORDS: usize = BudgetMember::WORDS;

/// A member of a shared budget as plain numbers.
#[must_use]
pub fn member_to_words(member: &BudgetMember) -> [u64; MEMBER_WORDS] {
    member.to_words()
}

/// The member of such numbers.
///
/// ```
/// use backoff_core::ffi::{member_from_words, member_to_words};
/// use backoff_core::{Budget, BudgetMember, Fallback, Outcome};
/// let (budget, local) = (Budget::parse("quota:cost=2")?, Budget::parse("ttl")?);
/// let mut member = BudgetMember::new(&budget, &local, 3, Fallback::ShareOf(2), 4, 5);
/// member.request(Outcome::Throttled, 6);
/// member.begin(7);
/// member.step(None, 8);
/// assert_eq!(member_from_words(&member_to_words(&member)), member);
/// # Ok::<(), backoff_core::ParseError>(())
/// ```
#[must_use]
pub fn member_from_words(words: &[u64; MEMBER_WORDS]) -> BudgetMember {
    BudgetMember::from_words(words)
}

/// An operation as plain numbers, without its policy.
#[must_use]
pub const fn operation_to_words(operation: &Operation) -> [u64; OPERATION_WORDS] {
    operation.to_words()
}

/// The operation of such numbers under its policy.
///
/// ```
/// use backoff_core::ffi::{operation_from_words, operation_to_words};
/// use backoff_core::{Budget, Decision, Operation, Outcome, Policy, RandomStream};
/// let policy = Policy::parse("constant:base=1s")?;
/// let budget = Budget::parse("quota:max_tokens=8,cost=5")?;
/// let stream = RandomStream::from_seed(42);
/// let mut operation = Operation::begin(policy, stream, 7, Some(2_000_000_000), Some(&budget));
/// let decision = operation.decide(Outcome::Transient, None, 8, Some(&budget));
/// assert_eq!(decision, Decision::Wait { delay_ns: 1_000_000_000 });
/// let copy = operation_from_words(policy, &operation_to_words(&operation));
/// assert_eq!(copy, operation);
/// operation.cancel(None);
/// assert_ne!(copy, operation);
/// assert_eq!(operation_from_words(policy, &operation_to_words(&operation)), operation);
/// # Ok::<(), backoff_core::ParseError>(())
/// ```
#[must_use]
pub const fn operation_from_words(policy: Policy, words: &[u64; OPERATION_WORDS]) -> Operation {
    Operation::from_words(policy, words)
}

/// Stats as plain numbers.
#[must_use]
pub fn stats_to_words(stats: &RetryStats) -> [u64; STATS_WORDS] {
    stats.to_words()
}

/// The stats of such numbers.
#[must_use]
pub fn stats_from_words(words: &[u64; STATS_WORDS]) -> RetryStats {
    RetryStats::from_words(words)
}

/// Waits until no thread holds the lock of a budget. While it waits it calls `yield_now`, and after
/// a while `sleep`, which sleeps for a millisecond. Returns false if the budget is damaged: every
/// change is then given up, and no retry granted.
pub fn wait_until_free(budget: &Budget, yield_now: impl Fn(), sleep: impl Fn()) -> bool {
    budget.wait_until_free(yield_now, sleep)
}

/// The names of the events of a budget, by their numbers (SPEC 15.6), which begin with 1.
pub const BUDGET_EVENTS: [&str; 6] = [
    "operation_began",
    "attempt_over",
    "attempt_failed",
    "retry_requested",
    "operation_succeeded",
    "operation_ended",
];

/// The event of a number. It uses the outcome or what is held, if its row of SPEC 15.6 does.
#[must_use]
pub const fn budget_event(number: u32, outcome: Outcome, held: u64) -> Option<BudgetEvent> {
    match number {
        1 => Some(BudgetEvent::OperationBegan),
        2 => Some(BudgetEvent::AttemptOver { held }),
        3 => Some(BudgetEvent::AttemptFailed),
        4 => Some(BudgetEvent::RetryRequested { outcome }),
        5 => Some(BudgetEvent::OperationSucceeded { held }),
        6 => Some(BudgetEvent::OperationEnded),
        _ => None,
    }
}

/// The number of an event.
#[must_use]
pub const fn budget_event_number(event: BudgetEvent) -> u32 {
    match event {
        BudgetEvent::OperationBegan => 1,
        BudgetEvent::AttemptOver { .. } => 2,
        BudgetEvent::AttemptFailed => 3,
        BudgetEvent::RetryRequested { .. } => 4,
        BudgetEvent::OperationSucceeded { .. } => 5,
        BudgetEvent::OperationEnded => 6,
    }
}

/// Writes [`RetryStats::prometheus_text`] piece by piece, with labels by their position.
///
/// # Errors
///
/// The first of the prefix and the names of labels that is refused; nothing is written then.
pub fn write_stats<'a>(
    stats: &RetryStats,
    prefix: &str,
    labels: &'a dyn Fn(usize) -> Option<(&'a str, &'a str)>,
    piece: &mut dyn FnMut(&str),
) -> Result<(), Refused> {
    stats_text::check(prefix, labels)?;
    // Writing a piece cannot fail.
    let _ = stats_text::write(stats, prefix, labels, &mut |text| {
        piece(text);
        Ok(())
    });
    Ok(())
}
