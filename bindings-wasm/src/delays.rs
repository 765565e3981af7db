//! Delays of the current policy.

use backoff_core::RandomStream;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::WORDS;
use crate::buffer::with_buffers;

/// The delay of an index, in nanoseconds.
#[wasm_bindgen]
pub fn delay(stream: u64, index: u32) -> u64 {
    with_buffers(|buffers| buffers.policy.delay_ns(RandomStream::from_seed(stream), index))
}

/// Writes the delays of `first`, `first + 1`, ... into the words, in nanoseconds; returns their
/// number, which is below `count` if the words or the indices end.
#[wasm_bindgen]
pub fn fill(stream: u64, first: u32, count: usize) -> usize {
    with_buffers(|buffers| {
        let delays = buffers.words.get_mut(..count.min(WORDS)).unwrap_or_default();
        buffers.policy.fill_ns(RandomStream::from_seed(stream), first, delays)
    })
}

/// The window of an index, in nanoseconds.
#[wasm_bindgen]
pub fn window(index: u32) -> u64 {
    with_buffers(|buffers| buffers.policy.window_ns(index))
}
