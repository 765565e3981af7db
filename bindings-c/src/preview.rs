//! `backoff_preview`: the shortest, the mean and the longest delay of each retry.

use backoff_core::{Preview, PreviewRow};

use crate::code::{BACKOFF_ERROR_END, backoff_code};
use crate::error::{backoff_error, explained};
use crate::exported::{exported, required};
use crate::handle::Tagged;
use crate::policy::{PolicyHandle, backoff_policy, policy_at};

/// The range of the delay of each retry, one retry after another, without drawing random numbers or
/// waiting (SPEC 16). A preview assumes that no failure is throttled and no server sends a
/// Retry-After. Without max_retries a preview can have 2^32 rows, even with max_elapsed, as the
/// shortest delays can be 0: stop reading it at a number of rows of your own.
///
/// A copy continues independently. Not thread-safe.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub struct backoff_preview {
    opaque: [u64; 96],
}

type PreviewHandle = Tagged<Preview, { u64::from_le_bytes(*b"preview1") }>;

/// The range of the delay of one retry, and the totals up to it; all in ns.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_preview_row {
    /// The shortest delay.
    pub min_ns: u64,
    /// The mean delay, rounded down. With BACKOFF_JITTER_DECORRELATED it is the mean after the mean
    /// of the previous retry, which is too high where delays can reach the cap.
    pub mean_ns: u64,
    /// The longest delay.
    pub max_ns: u64,
    /// The sum of the shortest delays so far.
    pub total_min_ns: u64,
    /// The sum of the mean delays so far.
    pub total_mean_ns: u64,
    /// The sum of the longest delays so far.
    pub total_max_ns: u64,
    /// Written as 0.
    pub reserved: [u64; 2],
}

/// Starts the preview of a policy at its first retry. The preview may have been used before. The
/// policy is copied.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_preview_init(
    preview: *mut backoff_preview,
    policy: *const backoff_policy,
) -> backoff_code {
    exported!({
        let preview = required(preview)?;
        PreviewHandle::init(preview, policy_at(policy)?.preview());
        Ok(())
    })
}

/// Writes the row of the next retry.
///
/// Fails with BACKOFF_ERROR_END if the limits of the policy allow no further retry (SPEC 16.4).
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_preview_next(
    preview: *mut backoff_preview,
    row: *mut backoff_preview_row,
) -> backoff_code {
    exported!({
        let row = required(row)?;
        let preview = PreviewHandle::get_mut(preview)?;
        // The end must leave the preview as it was, and `next` moves even at the end.
        let mut next = preview.clone();
        row.write(next.next().ok_or(BACKOFF_ERROR_END)?.into());
        *preview = next;
        Ok(())
    })
}

impl From<PreviewRow> for backoff_preview_row {
    fn from(row: PreviewRow) -> Self {
        let PreviewRow {
            min_ns, mean_ns, max_ns, total_min_ns, total_mean_ns, total_max_ns, ..
        } = row;
        Self {
            min_ns,
            mean_ns,
            max_ns,
            total_min_ns,
            total_mean_ns,
            total_max_ns,
            reserved: [0; 2],
        }
    }
}

/// Makes a copy of a policy with the longest base for which the waits of `attempts` attempts (1 to
/// 65536) never add up to more than `total_ns` (SPEC 16.5). Like a preview, it assumes that no
/// failure is throttled and no server sends a Retry-After. It ignores max_retries and max_elapsed,
/// which stay as they are in the policy. `fitted` may be the policy itself.
///
/// If no base fits, or an argument is out of its range, returns BACKOFF_ERROR_DOES_NOT_FIT,
/// BACKOFF_ERROR_TOO_SMALL or BACKOFF_ERROR_TOO_LARGE. The error is then about the field
/// max_attempts, for `attempts`, or max_elapsed, for `total_ns`.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_policy_fit_base(
    policy: *const backoff_policy,
    attempts: u64,
    total_ns: u64,
    fitted: *mut backoff_policy,
    error: *mut backoff_error,
) -> backoff_code {
    explained!(error, {
        let fitted = required(fitted)?;
        let policy = *policy_at(policy)?;
        PolicyHandle::init(fitted, policy.fit_base(attempts, total_ns)?);
        Ok(())
    })
}

/// Makes a copy of a policy with the longest cap for which the waits of `attempts` attempts (1 to
/// 65536) never add up to more than `total_ns`. Everything else is as for backoff_policy_fit_base,
/// which also ignores the limits of the policy.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_policy_fit_cap(
    policy: *const backoff_policy,
    attempts: u64,
    total_ns: u64,
    fitted: *mut backoff_policy,
    error: *mut backoff_error,
) -> backoff_code {
    explained!(error, {
        let fitted = required(fitted)?;
        let policy = *policy_at(policy)?;
        PolicyHandle::init(fitted, policy.fit_cap(attempts, total_ns)?);
        Ok(())
    })
}
