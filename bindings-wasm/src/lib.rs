//! The WebAssembly module inside the npm package `backoff-wasm`: numbers in, numbers out.
//!
//! Only `js/` calls it, and checks every argument first. Scalars are passed as such. Text and
//! longer rows of numbers go through two buffers, which JavaScript reads and writes in place
//! (`buffer.rs`). Nothing is allocated, memory never grows, and nothing is imported.

#![forbid(unsafe_code)]
#![expect(clippy::must_use_candidate, reason = "only JavaScript calls these functions")]
#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

mod budget;
mod budget_state;
mod buffer;
mod catalog;
mod delays;
mod errors;
mod http;
mod member;
mod operation;
mod params;
mod policy;
mod stats;
mod stream;

/// The words of the buffer: the most delays that one call returns. JavaScript calls again for more.
const WORDS: usize = 512;

/// The most bytes of a key that one call takes. JavaScript passes a longer key in parts. It is
/// more than the longest text that the core accepts or returns.
const BYTES: usize = 4096;

/// Refuses to allocate: nothing in this module needs it.
#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: lol_alloc::FailAllocator = lol_alloc::FailAllocator;

pub use budget::{budget_get, budget_has, budget_offset, budget_parse, budget_text, budget_words};
pub use budget_state::budget_step;
pub use buffer::{bytes, bytes_capacity, words};
pub use catalog::{catalog, field_number, no_limit, ratio_parse};
pub use delays::{delay, fill, refill};
pub use errors::error_message_with;
pub use http::{http_outcome, http_retry_after, is_idempotent, parse_retry_after};
pub use member::{
    member_begin, member_cancel, member_due_in, member_exchange, member_failed, member_late,
    member_lost, member_note, member_request, member_state, member_stats, member_step,
    member_stored, member_timeout, member_words,
};
pub use operation::{begin, decide, decision_offset, operation_words, stream_nth};
pub use params::{params_clear, params_get, params_has, params_set, params_words};
pub use policy::{
    policy_fit_base, policy_fit_cap, policy_init, policy_parse, policy_text, preview_begin,
    preview_next, window,
};
pub use stats::{stats_buckets, stats_counts, stats_merge, stats_record, stats_text, stats_words};
pub use stream::{draw, key_begin, key_stream, key_update};
