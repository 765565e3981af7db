//! What follows a failure, as far as no budget is asked (SPEC 13.4).

use crate::decision::outcome::{Outcome, StopReason};
use crate::field::kind::{RetryAfterMode, SPREAD};
use crate::number::arithmetic::{MAX_NS, add, sample};
use crate::schedule::PolicyNumbers;

const EXACT: u32 = RetryAfterMode::Exact as u32;

/// The delay after a failure, with the server's `Retry-After` applied (SPEC 13.5). `delay_of` computes
/// the delay of a base, and `draw` that of its index.
#[inline]
pub(crate) fn delay_ns(
    policy: &PolicyNumbers,
    outcome: Outcome,
    retry_after_ns: Option<u64>,
    delay_of: impl FnOnce(u64) -> u64,
    draw: impl FnOnce() -> u64,
) -> u64 {
    let throttled = outcome == Outcome::Throttled;
    let delay_ns = delay_of(if throttled { policy.throttled_base } else { policy.base });
    let Some(retry_after_ns) = retry_after_ns else { return delay_ns };
    let max_ns = policy.retry_after_max.min(add(delay_ns, policy.retry_after_max_extra));
    let bounded_ns = retry_after_ns.min(MAX_NS).min(max_ns);
    match policy.retry_after {
        EXACT => bounded_ns,
        SPREAD => sample(draw(), bounded_ns, add(bounded_ns, bounded_ns.wrapping_shr(1))),
        _ => delay_ns.max(bounded_ns),
    }
}

/// The limit on time that a wait of `delay_ns` would exceed, if there is one.
#[inline]
pub(crate) fn exceeded(
    max_elapsed_ns: u64,
    began_ns: u64,
    deadline_ns: Option<u64>,
    now_ns: u64,
    delay_ns: u64,
) -> Option<StopReason> {
    let ends_after = |limit: u64, from| limit.checked_sub(from).is_none_or(|left| delay_ns > left);
    if max_elapsed_ns != MAX_NS && ends_after(max_elapsed_ns, now_ns.saturating_sub(began_ns)) {
        return Some(StopReason::MaxElapsed);
    }
    deadline_ns.filter(|&deadline| ends_after(deadline, now_ns)).map(|_| StopReason::Deadline)
}
