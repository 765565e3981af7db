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

mod analysis;
mod budget;
mod buffer;
mod catalog;
mod delays;
mod errors;
mod http;
mod member;
mod operation;
mod policy;
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

pub use analysis::{policy_fit, preview_begin, preview_next};
pub use budget::{
    budget, budget_level, budget_params, budget_parse, budget_report, budget_size, budget_step,
    budget_text,
};
pub use buffer::{bytes, bytes_capacity, operation, operation_size, policy, policy_size, words};
pub use catalog::catalog;
pub use delays::{delay, fill, window};
pub use http::{http_outcome, is_idempotent};
pub use member::{
    member, member_begin, member_cancel, member_due_in, member_exchange, member_failed,
    member_late, member_lost, member_note, member_request, member_size, member_state, member_stats,
    member_step, member_stored, member_timeout,
};
pub use operation::{attempt, begin, decide};
pub use policy::{policy_build, policy_params, policy_parse, policy_text};
pub use stream::{advance, draw, key_begin, key_stream, key_update, stream_nth};
