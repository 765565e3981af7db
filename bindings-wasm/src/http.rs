//! What the build asks of HTTP, for tables in JavaScript.

use backoff_core::{Outcome, is_idempotent_method};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::with_buffers;

/// The number of the outcome of an HTTP status.
#[wasm_bindgen]
pub fn http_outcome(status: u16) -> u32 {
    Outcome::from_http_status(status) as u32
}

/// Whether a request with the method in the first `length` bytes may be repeated.
#[wasm_bindgen]
pub fn is_idempotent(length: usize) -> bool {
    with_buffers(|buffers| is_idempotent_method(buffers.text(length)))
}
