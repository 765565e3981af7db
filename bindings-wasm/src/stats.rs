//! Stats. JavaScript keeps their state as words: the first words.

use backoff_core::{RetryStats, StopReason, ffi};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::{Buffers, with_buffers};

/// The number of words of stats.
#[wasm_bindgen]
pub fn stats_words() -> usize {
    ffi::STATS_WORDS
}

/// The number of buckets; the last one has no bound.
#[wasm_bindgen]
pub fn stats_buckets() -> usize {
    ffi::STATS_BUCKETS
}

/// Counts an operation in the stats in the words.
#[wasm_bindgen]
pub fn stats_record(attempts: u64, reason: u32) {
    change(|stats, _| {
        if let Some(reason) = ffi::reason_from_number(reason) {
            stats.record(attempts, reason);
        }
    });
}

/// Adds the counts of the stats that follow in the words.
#[wasm_bindgen]
pub fn stats_merge() {
    change(|stats, buffers| {
        stats.merge(&ffi::stats_from_words(buffers.words_at(ffi::STATS_WORDS)));
    });
}

/// Replaces the stats in the words by their counts: operations, attempts, retries, the stops of
/// each reason, the operations of each bucket, and the bounds of all buckets but the last.
#[wasm_bindgen]
pub fn stats_counts() {
    with_buffers(|buffers| {
        let stats = load(buffers);
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

/// Writes the Prometheus text of the stats in the words into the bytes; returns its length.
#[wasm_bindgen]
pub fn stats_text() -> usize {
    with_buffers(|buffers| {
        load(buffers).prometheus().fold(0, |end, line| {
            let end = buffers.write_text(end, line.as_bytes());
            buffers.write_text(end, "\n")
        })
    })
}

fn change(apply: impl FnOnce(&RetryStats, &Buffers)) {
    with_buffers(|buffers| {
        let stats = load(buffers);
        apply(&stats, buffers);
        buffers.write_words(0, &ffi::stats_to_words(&stats));
    });
}

fn load(buffers: &Buffers) -> RetryStats {
    ffi::stats_from_words(buffers.words_at(0))
}
