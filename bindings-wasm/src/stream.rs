//! Streams. JavaScript keeps their state, which is one word.

use backoff_core::RandomStream;
use backoff_core::ffi::KeyHasher;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::with_buffers;

/// Begins a key under a seed. JavaScript passes the key in parts that fit into the bytes.
#[wasm_bindgen]
pub fn key_begin(seed: u64) {
    with_buffers(|buffers| buffers.key = KeyHasher::new(seed));
}

/// Appends the first `length` bytes to the key.
#[wasm_bindgen]
pub fn key_update(length: usize) {
    with_buffers(|buffers| {
        let mut hasher = buffers.key;
        hasher.update(buffers.text(length));
        buffers.key = hasher;
    });
}

/// The stream of the key.
#[wasm_bindgen]
pub fn key_stream() -> u64 {
    with_buffers(|buffers| buffers.key.stream().state())
}

/// The draw of an index.
#[wasm_bindgen]
pub fn draw(stream: u64, index: u32) -> u64 {
    RandomStream::from_seed(stream).draw(index)
}

/// The stream of loop number `n` under a seed (SPEC 18.1).
#[wasm_bindgen]
pub fn stream_nth(seed: u64, n: u64) -> u64 {
    RandomStream::nth(seed, n).state()
}

/// The state of a stream after a number of draws, which comes as halves, because JavaScript then makes no bigint.
#[wasm_bindgen]
pub fn advance(stream: u64, draws_low: u32, draws_high: u32) -> u64 {
    let draws = u64::from(draws_high).wrapping_shl(32) | u64::from(draws_low);
    RandomStream::from_seed(stream).advance(draws).state()
}
