//! The delays of the policy in use.

use backoff_core::Stream;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::{WORDS, with_buffers};
use crate::policy::ask;

/// The delay of an index, in nanoseconds.
#[wasm_bindgen]
#[must_use]
pub fn delay(stream: u64, index: u32) -> u64 {
    ask(|policy| policy.delay_ns(Stream::from_seed(stream), index))
}

/// The window of an index, in nanoseconds.
#[wasm_bindgen]
#[must_use]
pub fn window(index: u32) -> u64 {
    ask(|policy| policy.window_ns(index))
}

/// Leaves the delays of `first`, `first + 1`, ... in the words, in nanoseconds, and returns
/// how many: fewer than `count` where the words or the indices end.
#[wasm_bindgen]
#[must_use]
pub fn fill(stream: u64, first: u32, count: usize) -> usize {
    ask(|policy| {
        with_buffers(|buffers| {
            let delays = buffers.words.get_mut(..count.min(WORDS)).unwrap_or_default();
            policy.fill_ns(Stream::from_seed(stream), first, delays)
        })
    })
}
