//! The WebAssembly module inside `backoff-wasm/delay`: policies from fields, streams and delays.
//!
//! It has functions of the module of `backoff-wasm`, with the same names and the same meaning, but no
//! policy strings, operations and budgets. It is small because an error is only its numbers.

#![forbid(unsafe_code)]
#![expect(clippy::must_use_candidate, reason = "only JavaScript calls these functions")]
#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

#[path = "../../src/buffer.rs"]
mod buffer;
#[path = "../../src/delays.rs"]
mod delays;
#[path = "../../src/stream.rs"]
mod stream;

use backoff_core::Policy;
use backoff_core::ffi::{self, FieldSet, POLICY_FIELDS};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::with_buffers;
use crate::delays::{set_current, with_current};

/// The most delays that one call returns.
const WORDS: usize = 64;

/// The most bytes of a key that one call takes.
const BYTES: usize = 64;

/// Refuses to allocate: nothing in this module needs it.
#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: lol_alloc::FailAllocator = lol_alloc::FailAllocator;

pub use buffer::{bytes, bytes_capacity, words};
pub use delays::{delay, fill, refill};
pub use stream::{draw, key_begin, key_stream, key_update};

/// Makes the policy of the params in the words current and returns 0. The params are the bits of the
/// fields that are set, then a value for each. If they are refused it returns the number of the error's
/// code, and the words hold the number of its field, its value and its limit.
#[wasm_bindgen]
pub fn policy_init() -> u32 {
    with_buffers(|buffers| {
        let [bits, values @ ..] = buffers.words_at::<{ 1 + POLICY_FIELDS.len() }>(0);
        match ffi::build_policy(&FieldSet::from_bits(*bits, values)) {
            Ok(policy) => {
                set_current(policy);
                0
            }
            Err(error) => {
                buffers.write_words(0, &[error.field() as u64, error.value(), error.limit()]);
                error.code() as u32
            }
        }
    })
}

/// The most retries of the current policy.
#[wasm_bindgen]
pub fn max_retries() -> u64 {
    with_current(Policy::max_retries)
}
