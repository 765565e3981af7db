//! The status and the `Retry-After` header of HTTP responses.

use backoff_core::{Outcome, http_retry_after_ns, is_idempotent_method, parse_retry_after_ns};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::with_buffers;

/// The number of the outcome of an HTTP status.
#[wasm_bindgen]
pub fn http_outcome(status: u16) -> u32 {
    Outcome::from_http_status(status) as u32
}

/// The wait, in nanoseconds, that the header in the first `length` bytes asks for, or 2^64 - 1 if
/// the header is invalid. The longest wait is 2^63 - 1 ns.
#[wasm_bindgen]
pub fn parse_retry_after(length: usize, now: u64) -> u64 {
    with_buffers(|buffers| parse_retry_after_ns(buffers.text(length), now)).unwrap_or(u64::MAX)
}

/// The wait, in nanoseconds, that the header fields in the first `length` bytes ask for, or 2^64 - 1
/// if they ask for none.
#[wasm_bindgen]
pub fn http_retry_after(status: u16, length: usize, now: u64) -> u64 {
    with_buffers(|buffers| http_retry_after_ns(status, buffers.text(length), now))
        .unwrap_or(u64::MAX)
}

/// Whether a request with the method in the first `length` bytes may be repeated.
#[wasm_bindgen]
pub fn is_idempotent(length: usize) -> bool {
    with_buffers(|buffers| is_idempotent_method(buffers.text(length)))
}
