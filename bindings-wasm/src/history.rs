//! Histories, as the words that are their state: the first of the words.

use backoff_core::{History, StopReason};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::{Buffers, with_buffers};

/// Counts an operation in the history in the words.
#[wasm_bindgen]
pub fn history_record(attempts: u64, reason: u32) {
    change(|history, _| {
        if let Some(reason) = StopReason::from_number(reason) {
            history.record(attempts, reason);
        }
    });
}

/// Adds the counts of the history in the words after it.
#[wasm_bindgen]
pub fn history_merge() {
    change(|history, buffers| {
        history.merge(&History::from_words(buffers.words_at(History::WORDS)));
    });
}

/// Leaves what the history in the words counts there: the operations, the attempts, the
/// retries, the stops of each reason, the operations of each bucket, and the bounds of the
/// buckets but the last.
#[wasm_bindgen]
pub fn history_counts() {
    with_buffers(|buffers| {
        let history = load(buffers);
        let counts = [history.operations(), history.attempts(), history.retries()];
        let stops = StopReason::ALL.map(|reason| history.stopped(reason));
        let mut place = 0;
        for words in [&counts[..], &stops, &history.buckets(), &History::BOUNDS] {
            buffers.write_words(place, words);
            place = place.wrapping_add(words.len());
        }
    });
}

/// Leaves the text of the history in the words in the bytes and returns its length.
#[wasm_bindgen]
#[must_use]
pub fn history_text() -> usize {
    with_buffers(|buffers| {
        load(buffers).lines().fold(0, |end, line| {
            let end = buffers.write_text(end, line.as_bytes());
            buffers.write_text(end, "\n")
        })
    })
}

fn change(event: impl FnOnce(&History, &Buffers)) {
    with_buffers(|buffers| {
        let history = load(buffers);
        event(&history, buffers);
        buffers.write_words(0, &history.to_words());
    });
}

fn load(buffers: &Buffers) -> History {
    History::from_words(buffers.words_at(0))
}
