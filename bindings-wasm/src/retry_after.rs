//! `Retry-After`.

use backoff_core::retry_after_ns;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::with_buffers;

/// The hint of the header in the first `length` of the bytes, in nanoseconds, or 2^64 - 1,
/// which no hint is.
#[wasm_bindgen]
#[must_use]
pub fn retry_after(length: usize, now: u64) -> u64 {
    let hint = with_buffers(|buffers| retry_after_ns(buffers.text(length), now));
    hint.unwrap_or(u64::MAX)
}
