//! `backoff_stats`: counts of operations by attempts and by reason.

use core::ffi::c_char;

use backoff_core::RetryStats;
use backoff_core::ffi::reason_from_number;

use crate::code::{BACKOFF_ERROR_END, BACKOFF_ERROR_UNKNOWN_REASON, backoff_code};
use crate::exported::{exported, required};
use crate::handle::Tagged;
use crate::outcome::backoff_reason;
use crate::text::{Output, write_pieces};

/// A buffer of this size holds every output of backoff_stats_print with its terminating zero.
pub const BACKOFF_STATS_SIZE: u32 = 4096;

/// Counts of operations by their number of attempts and by the reason for which they stopped (SPEC
/// 17).
///
/// Any number of threads may use one struct at once. A read during other threads' records may
/// include only a part of an operation, but no count ever decreases. A copy counts separately; copy
/// the struct only while nobody records.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub struct backoff_stats {
    opaque: [u64; 40],
}

pub(crate) type StatsHandle = Tagged<RetryStats, { u64::from_le_bytes(*b"stats--1") }>;

/// The sums of a backoff_stats. Each stops at 2^64 - 1. `attempts` is the sum of operations and
/// retries, even while other threads record.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_stats_counts {
    /// The number of operations.
    pub operations: u64,
    /// The number of attempts of all operations.
    pub attempts: u64,
    /// The number of retries of all operations: all attempts except the first of each.
    pub retries: u64,
    /// Written as 0.
    pub reserved: [u64; 5],
}

/// Sets all counts to 0. The stats may have been used before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_stats_init(stats: *mut backoff_stats) -> backoff_code {
    exported!({
        StatsHandle::init(required(stats)?, RetryStats::new());
        Ok(())
    })
}

/// Counts an operation that ended after `attempts` attempts, for a BACKOFF_REASON. Pass the number of calls
/// that were made, which you count: backoff_operation_state writes one more after a cancelled wait, and fewer
/// after a long attempt (reset_after). 0 attempts count as 1.
///
/// Fails with BACKOFF_ERROR_UNKNOWN_REASON.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_stats_record(
    stats: *mut backoff_stats,
    attempts: u64,
    reason: backoff_reason,
) -> backoff_code {
    exported!({
        let stats = StatsHandle::get(stats)?;
        stats.record(attempts, reason_from_number(reason).ok_or(BACKOFF_ERROR_UNKNOWN_REASON)?);
        Ok(())
    })
}

/// Adds the counts of other stats, which are unchanged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_stats_merge(
    stats: *mut backoff_stats,
    other: *const backoff_stats,
) -> backoff_code {
    exported!({
        StatsHandle::get(stats)?.merge(StatsHandle::get(other)?);
        Ok(())
    })
}

/// Writes the sums.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_stats_read(
    stats: *const backoff_stats,
    counts: *mut backoff_stats_counts,
) -> backoff_code {
    exported!({
        let counts = required(counts)?;
        // One copy, so that the sums agree while other threads record.
        let stats = StatsHandle::get(stats)?.clone();
        counts.write(backoff_stats_counts {
            operations: stats.operations(),
            attempts: stats.attempts(),
            retries: stats.retries(),
            reserved: [0; 5],
        });
        Ok(())
    })
}

/// Writes the number of operations that stopped for a reason.
///
/// Fails with BACKOFF_ERROR_UNKNOWN_REASON.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_stats_stopped(
    stats: *const backoff_stats,
    reason: backoff_reason,
    count: *mut u64,
) -> backoff_code {
    exported!({
        let count = required(count)?;
        let stats = StatsHandle::get(stats)?;
        let reason = reason_from_number(reason).ok_or(BACKOFF_ERROR_UNKNOWN_REASON)?;
        count.write(stats.stops(reason));
        Ok(())
    })
}

/// Writes the largest number of attempts in a bucket, and the number of operations in it: those
/// with more attempts than the bucket before it has. The buckets are numbered from 0 and end at 1,
/// 2, 3, 4, 5, 6, 8, 10, 15, 25 and 50 attempts. The last has no end: 2^64 - 1.
///
/// The buckets of one moment are those of a copy (backoff_stats_merge into new stats).
///
/// Fails with BACKOFF_ERROR_END after the last bucket.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_stats_bucket(
    stats: *const backoff_stats,
    index: u64,
    max_attempts: *mut u64,
    count: *mut u64,
) -> backoff_code {
    exported!({
        let (max_attempts, count) = (required(max_attempts)?, required(count)?);
        let stats = StatsHandle::get(stats)?;
        let index = usize::try_from(index).map_err(|_| BACKOFF_ERROR_END)?;
        count.write(stats.buckets().nth(index).ok_or(BACKOFF_ERROR_END)?);
        max_attempts.write(RetryStats::BOUNDS.get(index).copied().unwrap_or(u64::MAX));
        Ok(())
    })
}

/// Writes the counts in the Prometheus text format (SPEC 17.2), for which BACKOFF_STATS_SIZE is
/// always enough.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_stats_print(
    stats: *const backoff_stats,
    buffer: *mut c_char,
    size: u64,
    length: *mut u64,
) -> backoff_code {
    exported!({
        // A copy, so that the text is the same each time while other threads record.
        let stats = StatsHandle::get(stats).cloned();
        write_pieces(Output { buffer, size, length }, &|piece| {
            for line in stats.as_ref().map_err(|&code| code)?.prometheus() {
                piece(line.as_bytes());
                piece(b"\n");
            }
            Ok(())
        })
    })
}
