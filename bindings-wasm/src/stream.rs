//! Streams, as the word that is their state.

use std::cell::Cell;

use backoff_core::{KeyHasher, Stream};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::with_buffers;

thread_local! {
    static KEY: Cell<KeyHasher> = const { Cell::new(KeyHasher::new(0)) };
}

/// Begins a key under a seed. JavaScript hands the key over in as many parts as the bytes ask.
#[wasm_bindgen]
pub fn key_begin(seed: u64) {
    KEY.try_with(|key| key.set(KeyHasher::new(seed))).unwrap_or_default();
}

/// Takes the first `length` of the bytes as the next part of the key.
#[wasm_bindgen]
pub fn key_update(length: usize) {
    with_buffers(|buffers| {
        KEY.try_with(|key| {
            let mut hasher = key.get();
            hasher.update(buffers.bytes.get(..length).unwrap_or_default());
            key.set(hasher);
        })
        .unwrap_or_default();
    });
}

/// The stream of the key.
#[wasm_bindgen]
#[must_use]
pub fn key_stream() -> u64 {
    KEY.try_with(|key| key.get().stream().state()).unwrap_or_default()
}

/// The random word of an index.
#[wasm_bindgen]
#[must_use]
pub fn draw(stream: u64, index: u32) -> u64 {
    Stream::from_seed(stream).draw(index)
}

/// The stream after so many draws.
#[wasm_bindgen]
#[must_use]
pub fn advance(stream: u64, draws: u64) -> u64 {
    Stream::from_seed(stream).advance(draws).state()
}
