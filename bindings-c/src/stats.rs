//! `backoff_stats`: counts of operations by attempts and by reason.

use core::ffi::c_char;

use backoff_core::ffi::{self, reason_from_number};
use backoff_core::{RetryStats, StopReason};

use crate::code::BACKOFF_ERROR_UNKNOWN_REASON;
use crate::exported::{exported, required};
use crate::handle::Tagged;
use crate::text::write_text;

/// A buffer of this size holds every output of backoff_stats_print with its terminating zero.
pub const BACKOFF_STATS_SIZE: u32 = 4096;

/// Counts of operations by their number of attempts and by the reason for which they stopped
/// (SPEC 17).
///
/// Owned by the caller; nothing to free. Any number of threads may use one struct at once. A read
/// during other threads' records may include only a part of an operation, but no count ever
/// decreases. A copy counts separately; copy the struct only while nobody records. Only the
/// functions that take stats may write to them.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub struct backoff_stats {
    opaque: [u64; 24],
}

pub(crate) type StatsHandle = Tagged<RetryStats, { u64::from_le_bytes(*b"stats--1") }>;

/// The counts of a backoff_stats. Each stops at 2^64 - 1. `operations` is the sum of the buckets,
/// and `attempts` the sum of operations and retries, even while other threads record.
///
/// A plain value: copy it freely.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_stats_counts {
    /// The number of operations.
    pub operations: u64,
    /// The number of attempts of all operations.
    pub attempts: u64,
    /// The number of retries of all operations: all attempts except the first of each.
    pub retries: u64,
    /// The upper bounds of the buckets, in attempts: 1, 2, 3, 4, 5, 6, 8, 10, 15, 25, 50. The last
    /// bucket has no bound.
    pub bounds: [u64; 11],
    /// The number of operations in each bucket: those with more attempts than the bound before it,
    /// and at most as many as its own.
    pub buckets: [u64; 12],
    /// The number of operations that stopped for each reason: stops[0] for BACKOFF_REASON_SUCCESS,
    /// and so on.
    pub stops: [u64; 7],
}

/// Sets all counts to 0. The stats may have been used before.
///
/// Fails with BACKOFF_ERROR_NULL_POINTER.
///
/// # Safety
/// `stats` points to stats that no other thread uses during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_stats_init(stats: *mut backoff_stats) -> u32 {
    exported!({
        StatsHandle::init(required(stats)?, RetryStats::new());
        Ok(())
    })
}

/// Counts an operation that ended after `attempts` attempts, for a BACKOFF_REASON. Pass the number
/// of calls that were made: after a cancelled wait, backoff_operation_state writes one more. 0
/// attempts count as 1.
///
/// Fails with BACKOFF_ERROR_NULL_POINTER, BACKOFF_ERROR_UNINITIALIZED or BACKOFF_ERROR_UNKNOWN_REASON.
///
/// # Safety
/// `stats` points to stats.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_stats_record(
    stats: *mut backoff_stats,
    attempts: u64,
    reason: u32,
) -> u32 {
    exported!({
        let stats = StatsHandle::get(stats)?;
        stats.record(attempts, reason_from_number(reason).ok_or(BACKOFF_ERROR_UNKNOWN_REASON)?);
        Ok(())
    })
}

/// Adds the counts of other stats, which are unchanged.
///
/// Fails with BACKOFF_ERROR_NULL_POINTER or BACKOFF_ERROR_UNINITIALIZED.
///
/// # Safety
/// Both pointers point to stats.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_stats_merge(
    stats: *mut backoff_stats,
    other: *const backoff_stats,
) -> u32 {
    exported!({
        StatsHandle::get(stats)?.merge(StatsHandle::get(other)?);
        Ok(())
    })
}

/// Writes the counts.
///
/// Fails with BACKOFF_ERROR_NULL_POINTER or BACKOFF_ERROR_UNINITIALIZED.
///
/// # Safety
/// `stats` points to stats, `counts` to counts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_stats_read(
    stats: *const backoff_stats,
    counts: *mut backoff_stats_counts,
) -> u32 {
    exported!({
        let counts = required(counts)?;
        // One copy, so that the sums agree while other threads record.
        let stats = StatsHandle::get(stats)?.clone();
        let stops = StopReason::ALL.iter().map(|reason| stats.stops(*reason));
        counts.write(backoff_stats_counts {
            operations: stats.operations(),
            attempts: stats.attempts(),
            retries: stats.retries(),
            bounds: array_of(RetryStats::BOUNDS.iter().copied()),
            buckets: array_of(stats.buckets()),
            stops: array_of(stops),
        });
        Ok(())
    })
}

const _: () = assert!(
    RetryStats::BOUNDS.len() == 11 && ffi::STATS_BUCKETS == 12 && StopReason::ALL.len() == 7
);

fn array_of<const N: usize>(numbers: impl Iterator<Item = u64>) -> [u64; N] {
    let mut array = [0; N];
    for (slot, number) in array.iter_mut().zip(numbers) {
        *slot = number;
    }
    array
}

/// Writes the counts in the Prometheus text format (SPEC 17.2) with a terminating zero into a
/// buffer of `size` bytes; BACKOFF_STATS_SIZE is always enough.
///
/// Fails with BACKOFF_ERROR_NULL_POINTER, BACKOFF_ERROR_UNINITIALIZED or BACKOFF_ERROR_BUFFER_TOO_SMALL.
///
/// # Safety
/// `stats` points to stats, `buffer` to `size` bytes that do not overlap them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_stats_print(
    stats: *const backoff_stats,
    buffer: *mut c_char,
    size: u64,
) -> u32 {
    exported!({
        let stats = StatsHandle::get(stats)?;
        let mut page = [0; BACKOFF_STATS_SIZE as usize];
        let mut length = 0;
        for line in stats.prometheus() {
            let bytes = line.as_bytes().iter().chain(b"\n");
            for (slot, byte) in page.iter_mut().skip(length).zip(bytes) {
                *slot = *byte;
                length += 1;
            }
        }
        write_text(page.get(..length).unwrap_or_default(), buffer, size)
    })
}
