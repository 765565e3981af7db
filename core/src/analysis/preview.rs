//! The range of every delay of a policy, without drawing (SPEC 16).

use crate::field::kind::{ON_DELAY, SLOTTED};
use crate::number::arithmetic::{MAX_NS, add, divide};
use crate::schedule::state::DelayState;
use crate::schedule::{PolicyNumbers, ScheduleParams};

/// The draws that select the ends of a range.
const MIN_DRAW: u64 = 0;
const MAX_DRAW: u64 = u64::MAX;

/// The possible delays of one retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C)]
#[non_exhaustive]
pub struct PreviewRow {
    /// The shortest delay.
    pub min_ns: u64,
    /// The mean delay, rounded down. Under decorrelated jitter it follows from the mean of the
    /// retry before, which is an upper estimate where the cap can be reached.
    pub mean_ns: u64,
    /// The longest delay.
    pub max_ns: u64,
    /// The sum of the shortest delays up to this retry.
    pub total_min_ns: u64,
    /// The sum of the mean delays up to this retry.
    pub total_mean_ns: u64,
    /// The sum of the longest delays up to this retry.
    pub total_max_ns: u64,
}

/// The possible delays of a policy, one retry after another: an iterator that neither draws nor
/// sleeps. It assumes that no failure is throttled and that the server sends no `Retry-After`.
///
/// It ends after the last retry that the limits of the policy allow. Without `max_retries` it can
/// have 2^32 rows, even with `max_elapsed`, because the shortest delays can be 0: use
/// [`Iterator::take`].
///
/// ```
/// use backoff_core::Policy;
/// let policy = Policy::parse("full:base=100ms,cap=20s,max_retries=3")?;
/// let rows: Vec<_> = policy.preview().collect();
/// assert_eq!(rows.len(), 3);
/// assert_eq!((rows[2].min_ns, rows[2].mean_ns, rows[2].max_ns), (0, 200_000_000, 400_000_000));
/// assert_eq!(rows[2].total_max_ns, 700_000_000);
/// # Ok::<(), backoff_core::ParseError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Preview {
    policy: ScheduleParams,
    index: u64,
    min: DelayState,
    mean: DelayState,
    max: DelayState,
    totals: [u64; 3],
}

impl Preview {
    pub(crate) fn new(policy: &ScheduleParams) -> Self {
        let state = DelayState::start(policy);
        Self { policy: *policy, index: 0, min: state, mean: state, max: state, totals: [0; 3] }
    }
}

impl Iterator for Preview {
    type Item = PreviewRow;

    fn next(&mut self) -> Option<PreviewRow> {
        let Self { policy, index, min, mean, max, totals } = self;
        let policy = &*policy;
        if *index >= policy.max_retries || *index > u32::MAX.into() {
            return None;
        }
        let mean_ns = mean_of_range(policy, mean.range(policy, *index));
        mean.advance_with(policy, *index, mean_ns);
        let (min_ns, max_ns) =
            (min.next(policy, *index, MIN_DRAW), max.next(policy, *index, MAX_DRAW));
        for (total, delay) in totals.iter_mut().zip([min_ns, mean_ns, max_ns]) {
            *total = add(*total, delay);
        }
        let [total_min_ns, total_mean_ns, total_max_ns] = *totals;
        if total_min_ns > policy.max_elapsed {
            // Later rows would end later still.
            *index = policy.max_retries;
            return None;
        }
        *index = index.saturating_add(1);
        Some(PreviewRow { min_ns, mean_ns, max_ns, total_min_ns, total_mean_ns, total_max_ns })
    }
}

/// The mean delay of a range of delays or of slots (SPEC 16.2).
fn mean_of_range(policy: &PolicyNumbers, (low, high): (u64, u64)) -> u64 {
    let unit = if policy.jitter == SLOTTED { policy.jitter_slot } else { 1 };
    let limit = if policy.cap_on == ON_DELAY { policy.cap } else { MAX_NS };
    let within = high.min(limit.checked_div(unit).unwrap_or(limit));
    let Some(count) = within.checked_sub(low) else { return limit };
    // Below 2^127: within the limit, a multiple of the unit is at most 2^63.
    let wide = |n: u64| u128::from(n);
    let ends = wide(unit).wrapping_mul(wide(low).wrapping_add(wide(within)));
    let below = ends.wrapping_mul(wide(count).wrapping_add(1)).wrapping_shr(1);
    let above = wide(high.wrapping_sub(within)).wrapping_mul(wide(limit));
    divide(below.wrapping_add(above), high.wrapping_sub(low).wrapping_add(1))
}
