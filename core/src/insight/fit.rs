//! Fitting a policy into a time (SPEC 16.5).

use crate::error::code::ErrorCode;
use crate::error::policy_error::PolicyError;
use crate::field::Field;
use crate::field::params::Params;
use crate::number::arithmetic::MAX_NS;
use crate::schedule::Parameters;
use crate::schedule::state::DelayState;
use crate::validate::policy::build;
use crate::validate::rules::{Checked, between};

/// The most attempts that a policy can be fitted to.
const MAX_ATTEMPTS: u64 = 65_536;

/// The policy with the longest base or cap with which the attempts always fit into the total.
pub(crate) fn fit(
    policy: &Parameters,
    field: Field,
    attempts: u64,
    total_ns: u64,
) -> Checked<Parameters> {
    between(Field::MaxAttempts, attempts, 1, MAX_ATTEMPTS)?;
    between(Field::MaxElapsed, total_ns, 0, MAX_NS)?;
    let (min, max) = if field == Field::Base {
        (policy.min_growing_base(), policy.cap)
    } else {
        let min = policy.base.max(policy.offset).max(policy.floor).max(policy.throttled_base);
        (min, MAX_NS)
    };
    let values = policy.values();
    let params = Params::from_values(&values, |field| values.is_explicit(field));
    let with = |value| {
        let mut params = params;
        params.set(field, value);
        build(&params).ok()
    };
    let total = |value| {
        with(value).map_or(u128::MAX, |policy| max_total(&policy, attempts.saturating_sub(1)))
    };
    let fits = |value| total(value) <= total_ns.into();
    let refuse = |needed| PolicyError::new(ErrorCode::DoesNotFit, field, needed, total_ns);
    if min > max || !fits(min) {
        let needed = u64::try_from(total(min)).unwrap_or(MAX_NS).min(MAX_NS);
        return Err(refuse(needed));
    }
    // No delay gets shorter as the base or the cap gets longer, so bisection finds the longest.
    let (mut fitting, mut above) = (min, max.saturating_add(1));
    while above.saturating_sub(fitting) > 1 {
        let middle = fitting.midpoint(above);
        if fits(middle) {
            fitting = middle;
        } else {
            above = middle;
        }
    }
    with(fitting).ok_or(refuse(0))
}

/// The exact sum of the longest delays.
fn max_total(policy: &Parameters, retries: u64) -> u128 {
    let mut state = DelayState::start(policy);
    (0..retries).fold(0, |total: u128, index| {
        total.wrapping_add(state.next(policy, index, u64::MAX).into())
    })
}
