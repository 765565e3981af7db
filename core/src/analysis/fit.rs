//! Fitting a policy into a time (SPEC 16.5).

use crate::error::code::ErrorCode;
use crate::error::policy_error::PolicyError;
use crate::field::Field;
use crate::field::kind::DECORRELATED;
use crate::field::set::FieldSet;
use crate::number::arithmetic::{MAX_NS, divide};
use crate::schedule::ScheduleParams;
use crate::schedule::state::{DECORRELATED_PERIOD, DelayState};
use crate::validate::policy::build;
use crate::validate::rules::{Checked, between};

/// The most attempts that a policy can be fitted to.
const MAX_ATTEMPTS: u64 = 65_536;

/// The steps after which the search only bisects.
const MAX_GUESSES: u32 = 32;

/// The policy with the longest base or cap with which the attempts always fit into the total.
pub(crate) fn fit(
    policy: &ScheduleParams,
    field: Field,
    attempts: u64,
    total_ns: u64,
) -> Checked<ScheduleParams> {
    between(Field::MaxAttempts, attempts, 1, MAX_ATTEMPTS)?;
    between(Field::MaxElapsed, total_ns, 0, MAX_NS)?;
    let values = policy.values();
    if !values.uses(field) {
        return Err(PolicyError::new(ErrorCode::Unused, field, 0, policy.growth.into()));
    }
    let (min, max) = if field == Field::Base {
        (policy.multiplier.min_growing_base(), policy.cap)
    } else {
        let min = policy.base.max(policy.offset).max(policy.floor).max(policy.throttled_base);
        (min, MAX_NS)
    };
    let params = FieldSet::from_values(&values, |field| values.is_explicit(field));
    let with = |value| {
        let mut params = params;
        params.set(field, value);
        build(&params).ok()
    };
    let retries = attempts.saturating_sub(1);
    let total =
        |value, most| with(value).map_or(u128::MAX, |policy| max_total(&policy, retries, most));
    let refuse = |needed| PolicyError::new(ErrorCode::DoesNotFit, field, needed, total_ns);
    let needed = total(min, MAX_NS.into());
    if needed > total_ns.into() {
        return Err(refuse(u64::try_from(needed).unwrap_or(MAX_NS).min(MAX_NS)));
    }
    // Far above the limit the exact total does not matter.
    let most = u128::from(total_ns).saturating_mul(16);
    with(longest(min, max, total_ns, |value| total(value, most))).ok_or(refuse(0))
}

/// The longest duration from `min` to `max` whose total is at most the limit; that of `min` is.
///
/// No delay gets shorter as the base or the cap gets longer, so the total never falls. Bisection by
/// powers of two finds the magnitude. From there the total is nearly a straight line, so that the
/// Illinois method takes few steps; it falls back to bisection.
fn longest(min: u64, max: u64, limit: u64, total: impl Fn(u64) -> u128) -> u64 {
    if total(max) <= limit.into() {
        return max;
    }
    let (mut fitting, mut above) = (min, max);
    // How far the totals are below and above the limit, or less where one bound does not move.
    let (mut under, mut over) = (0_u64, 0_u64);
    let mut last_fits = None;
    for step in 0_u32.. {
        let width = above.saturating_sub(fitting);
        if width <= 1 {
            break;
        }
        let bits = |n: u64| u64::BITS.wrapping_sub(n.leading_zeros());
        let (least, most) = (bits(fitting), bits(above));
        let guess = if most.saturating_sub(least) > 1 {
            1_u64.wrapping_shl(least.midpoint(most).saturating_sub(1))
        } else if over > 0 && step < MAX_GUESSES {
            let span = u128::from(under).saturating_add(over.into()).saturating_add(1);
            let part = u128::from(width).wrapping_mul(under.into());
            fitting.saturating_add(divide(part, u64::try_from(span).unwrap_or(u64::MAX)))
        } else {
            fitting.midpoint(above)
        };
        let guess = guess.max(fitting.saturating_add(1)).min(above.saturating_sub(1));
        let found = total(guess);
        let fits = found <= limit.into();
        let distance = u64::try_from(found.abs_diff(limit.into())).unwrap_or(u64::MAX);
        let again = last_fits == Some(fits);
        if fits {
            (fitting, under) = (guess, distance);
            over = if again { over.div_ceil(2) } else { over };
        } else {
            (above, over) = (guess, distance);
            under = if again { under.div_ceil(2) } else { under };
        }
        last_fits = Some(fits);
    }
    fitting
}

/// The sum of the longest delays: exact, or any number above `most` if it is above.
fn max_total(policy: &ScheduleParams, retries: u64, most: u128) -> u128 {
    if policy.jitter != DECORRELATED {
        return sum(policy, retries, most);
    }
    let period = DECORRELATED_PERIOD.into();
    let periods = retries.checked_div(period).unwrap_or_default();
    let rest = retries.checked_rem(period).unwrap_or_default();
    let of_periods = if periods > 0 { sum(policy, period, most) } else { 0 };
    of_periods.saturating_mul(periods.into()).saturating_add(sum(policy, rest, most))
}

/// The sum of the longest delays before decorrelated jitter restarts: exact, or any number above
/// `most` if it is above.
fn sum(policy: &ScheduleParams, retries: u64, most: u128) -> u128 {
    let mut state = DelayState::start(policy);
    let (mut total, mut longest) = (0_u128, None);
    for index in 0..retries {
        let before = state;
        let delay = state.next(policy, index, u64::MAX);
        total = total.wrapping_add(delay.into());
        if total > most {
            break;
        }
        // Delays never get shorter. So if the state no longer changes and the last delay equals this one,
        // all delays between them are equal, too.
        let last = retries.saturating_sub(1);
        let at_last = || state.delay(policy, last, u64::MAX);
        if state == before && *longest.get_or_insert_with(at_last) == delay {
            let rest = last.saturating_sub(index);
            return u128::from(delay).saturating_mul(rest.into()).saturating_add(total);
        }
    }
    total
}
