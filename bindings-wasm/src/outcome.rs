//! Outcomes, as their numbers.

use backoff_core::Outcome;
use wasm_bindgen::prelude::wasm_bindgen;

/// The number of the outcome that the status of an HTTP response is.
#[wasm_bindgen]
#[must_use]
pub fn http_outcome(status: u16) -> u32 {
    Outcome::from_http_status(status) as u32
}
