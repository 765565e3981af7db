//! What the delays of a policy can be, without drawing them (SPEC 16).

use crate::arithmetic::{MAX_NS, add, divide};
use crate::error::{ErrorCode, PolicyError};
use crate::field::Field;
use crate::kind::{ON_RESULT, SLOTTED};
use crate::policy::Policy;
use crate::rules::{between, error};
use crate::walk::Walk;

/// The draws that give the ends of a range.
const SMALLEST: u64 = 0;
const LARGEST: u64 = u64::MAX;

/// The most attempts that a policy can be fitted to.
const MOST_ATTEMPTS: u64 = 65_536;

/// A retry of a policy as it can be; all durations in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct PreviewRow {
    /// The smallest delay.
    pub smallest: u64,
    /// The mean of the delays, rounded down. Under decorrelated jitter, that after the mean of
    /// the retry before: an upper estimate where the cap can be reached.
    pub mean: u64,
    /// The largest delay.
    pub largest: u64,
    /// The smallest delays up to here together.
    pub total_smallest: u64,
    /// The means up to here together.
    pub total_mean: u64,
    /// The largest delays up to here together.
    pub total_largest: u64,
}

/// The retries of a policy as they can be if no failure is throttled and no hint is given, one
/// after another, without a draw and without sleeping. It ends where no retry can be made any
/// more.
///
/// ```
/// use backoff_core::Policy;
/// let policy = Policy::parse("full:base=100ms,cap=20s,max_retries=3")?;
/// let rows: Vec<_> = policy.preview().collect();
/// assert_eq!(rows.len(), 3);
/// assert_eq!((rows[2].smallest, rows[2].mean, rows[2].largest), (0, 200_000_000, 400_000_000));
/// assert_eq!(rows[2].total_largest, 700_000_000);
/// # Ok::<(), backoff_core::ParseError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Preview {
    policy: Policy,
    index: u64,
    smallest: Walk,
    mean: Walk,
    largest: Walk,
    totals: [u64; 3],
}

impl Policy {
    /// The retries as they can be.
    #[must_use]
    pub fn preview(&self) -> Preview {
        let walk = Walk::start(self);
        Preview {
            policy: *self,
            index: 0,
            smallest: walk,
            mean: walk,
            largest: walk,
            totals: [0; 3],
        }
    }

    /// This policy with the longest base with which so many attempts always fit into a time of
    /// waiting, in nanoseconds (SPEC 16.5), if no failure is throttled and no hint is given. The
    /// limits of the policy are not looked at.
    ///
    /// ```
    /// use backoff_core::Policy;
    /// let policy = Policy::parse("full:base=1s,cap=20s")?.fit_base(4, 700_000_000)?;
    /// assert_eq!(policy.to_string(), "exponential:base=100ms,cap=20s,jitter=full");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorCode::DoesNotFit`] if no base is short enough; [`ErrorCode::TooSmall`] or
    /// [`ErrorCode::TooLarge`] for attempts that are not from 1 to 65,536 and a time above
    /// [`MAX_NS`].
    pub fn fit_base(&self, attempts: u64, total_ns: u64) -> Result<Self, PolicyError> {
        self.fit(Field::Base, self.least_base(), self.cap, attempts, total_ns)
    }

    /// This policy with the longest cap with which so many attempts always fit into a time of
    /// waiting, in nanoseconds (SPEC 16.5), if no failure is throttled and no hint is given. The
    /// limits of the policy are not looked at.
    ///
    /// # Errors
    /// Those of [`Policy::fit_base`].
    pub fn fit_cap(&self, attempts: u64, total_ns: u64) -> Result<Self, PolicyError> {
        let least = self.base.max(self.offset).max(self.floor).max(self.throttled_base);
        self.fit(Field::Cap, least, MAX_NS, attempts, total_ns)
    }

    /// The largest value of a field from `least` to `most` with which the delays fit: longer
    /// bases and caps make no delay shorter.
    fn fit(
        &self,
        field: Field,
        least: u64,
        most: u64,
        attempts: u64,
        total_ns: u64,
    ) -> Result<Self, PolicyError> {
        between(Field::MaxAttempts, attempts, 1, MOST_ATTEMPTS)?;
        between(Field::MaxElapsed, total_ns, 0, MAX_NS)?;
        let params = self.least_params();
        let with = |value| {
            let mut params = params;
            params.set(field, value);
            params.build().ok()
        };
        let total = |value| {
            with(value).map_or(u128::MAX, |policy| policy.largest_total(attempts.saturating_sub(1)))
        };
        let fits = |value| total(value) <= total_ns.into();
        if least > most || !fits(least) {
            let needed = u64::try_from(total(least)).unwrap_or(MAX_NS).min(MAX_NS);
            return Err(error(ErrorCode::DoesNotFit, field, needed, total_ns));
        }
        let (mut fitting, mut above) = (least, most.saturating_add(1));
        while above.saturating_sub(fitting) > 1 {
            let middle = fitting.midpoint(above);
            if fits(middle) {
                fitting = middle;
            } else {
                above = middle;
            }
        }
        with(fitting).ok_or(error(ErrorCode::DoesNotFit, field, 0, total_ns))
    }

    /// The exact sum of the largest delays.
    fn largest_total(&self, retries: u64) -> u128 {
        let mut walk = Walk::start(self);
        (0..retries).fold(0, |total: u128, index| {
            total.wrapping_add(walk.next(self, index, LARGEST).into())
        })
    }

    /// The mean of a range, as it is waited (SPEC 16.2).
    fn mean(&self, (low, high): (u64, u64)) -> u64 {
        let unit = if self.jitter == SLOTTED { self.jitter_slot } else { 1 };
        let limit = if self.cap_on == ON_RESULT { self.cap } else { MAX_NS };
        let within = high.min(limit.checked_div(unit).unwrap_or(limit));
        let Some(count) = within.checked_sub(low) else { return limit };
        // Below 2^127: within the limit, a multiple of the unit is at most 2^63.
        let wide = |n: u64| u128::from(n);
        let ends = wide(unit).wrapping_mul(wide(low).wrapping_add(wide(within)));
        let below = ends.wrapping_mul(wide(count).wrapping_add(1)).wrapping_shr(1);
        let above = wide(high.wrapping_sub(within)).wrapping_mul(wide(limit));
        divide(below.wrapping_add(above), high.wrapping_sub(low).wrapping_add(1))
    }
}

impl Iterator for Preview {
    type Item = PreviewRow;

    fn next(&mut self) -> Option<PreviewRow> {
        let Self { policy, index, smallest, mean, largest, totals } = self;
        if *index >= policy.max_retries || *index > u32::MAX.into() {
            return None;
        }
        let delays = [
            smallest.next(policy, *index, SMALLEST),
            mean.next_as(policy, *index, policy.mean(mean.range(policy, *index))),
            largest.next(policy, *index, LARGEST),
        ];
        for (total, delay) in totals.iter_mut().zip(delays) {
            *total = add(*total, delay);
        }
        let [total_smallest, total_mean, total_largest] = *totals;
        if total_smallest > policy.max_elapsed {
            // Those after it would end later still.
            *index = policy.max_retries;
            return None;
        }
        *index = index.saturating_add(1);
        let [smallest, mean, largest] = delays;
        Some(PreviewRow { smallest, mean, largest, total_smallest, total_mean, total_largest })
    }
}
