//! The status and the `Retry-After` header of HTTP responses.

use backoff_core::{Outcome, parse_retry_after_ns};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::with_buffers;

/// The number of the outcome of an HTTP status.
#[wasm_bindgen]
#[must_use]
pub fn http_outcome(status: u16) -> u32 {
    Outcome::from_http_status(status) as u32
}

/// The wait, in nanoseconds, that the header in the first `length` bytes asks for, or 2^64 - 1 if
/// the header is invalid. The longest wait is 2^63 - 1 ns.
#[wasm_bindgen]
#[must_use]
pub fn parse_retry_after(length: usize, now: u64) -> u64 {
    with_buffers(|buffers| parse_retry_after_ns(buffers.text(length), now)).unwrap_or(u64::MAX)
}
