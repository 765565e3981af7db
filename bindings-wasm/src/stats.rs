//! Stats. JavaScript keeps them as the bytes that are here while they are the current ones.

use backoff_core::{RetryStats, StopReason, ffi};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::{Buffers, with_buffers};

/// The current stats, and those that are added to them.
struct Pair {
    stats: RetryStats,
    added: RetryStats,
}

thread_local! {
    static PAIR: Pair = const { Pair { stats: RetryStats::new(), added: RetryStats::new() } };
}

/// The address of the current stats.
#[wasm_bindgen]
pub fn stats() -> usize {
    PAIR.try_with(|pair| (&raw const pair.stats).addr()).unwrap_or_default()
}

/// The address of the stats that are added.
#[wasm_bindgen]
pub fn added() -> usize {
    PAIR.try_with(|pair| (&raw const pair.added).addr()).unwrap_or_default()
}

/// The number of bytes of stats.
#[wasm_bindgen]
pub fn stats_size() -> usize {
    size_of::<RetryStats>()
}

/// The same, of those that are added.
#[wasm_bindgen]
pub fn added_size() -> usize {
    stats_size()
}

/// The number of buckets; the last one has no bound.
#[wasm_bindgen]
pub fn stats_buckets() -> usize {
    ffi::STATS_BUCKETS
}

/// Counts an operation in the current stats.
#[wasm_bindgen]
pub fn stats_record(attempts: u64, reason: u32) {
    if let Some(reason) = ffi::reason_from_number(reason) {
        PAIR.try_with(|pair| pair.stats.record(attempts, reason)).unwrap_or_default();
    }
}

/// Adds the counts of the other stats to the current ones.
#[wasm_bindgen]
pub fn stats_merge() {
    PAIR.try_with(|pair| pair.stats.merge(&pair.added)).unwrap_or_default();
}

/// Writes the counts of the current stats: operations, attempts, retries, the stops of
/// each reason, the operations of each bucket, and the bounds of all buckets but the last.
#[wasm_bindgen]
pub fn stats_counts() {
    with_stats(|stats, buffers| {
        let counts = [stats.operations(), stats.attempts(), stats.retries()];
        let mut end = buffers.write_words(0, &counts);
        for &reason in StopReason::ALL {
            end = buffers.write_words(end, &[stats.stops(reason)]);
        }
        for bucket in stats.buckets() {
            end = buffers.write_words(end, &[bucket]);
        }
        buffers.write_words(end, RetryStats::BOUNDS);
    });
}

/// Writes the Prometheus text of the current stats into the bytes; returns its length.
#[wasm_bindgen]
pub fn stats_text() -> usize {
    with_stats(|stats, buffers| {
        stats.prometheus().fold(0, |end, line| {
            let end = buffers.write_text(end, line.as_bytes());
            buffers.write_text(end, "\n")
        })
    })
}

fn with_stats<T: Default>(read: impl FnOnce(&RetryStats, &mut Buffers) -> T) -> T {
    with_buffers(|buffers| PAIR.try_with(|pair| read(&pair.stats, buffers)).unwrap_or_default())
}
