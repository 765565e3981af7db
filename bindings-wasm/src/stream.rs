//! Streams, as the word that is their state.

use backoff_core::Stream;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::with_buffers;

/// The stream of a seed and the key in the bytes.
#[wasm_bindgen]
#[must_use]
pub fn keyed(seed: u64, length: usize) -> u64 {
    with_buffers(|buffers| {
        Stream::from_key(seed, buffers.bytes.get(..length).unwrap_or_default()).state()
    })
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
