//! The WebAssembly module inside the npm package `backoff-wasm`: numbers in, numbers out.
//!
//! Its only caller is `js/`, which checks every argument first. Scalars are passed as such;
//! what is more than a few of them is left in two buffers that the caller reads and writes
//! in place (`buffer.rs`). Nothing is allocated, memory never grows, nothing is imported.

#![forbid(unsafe_code)]
#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

mod budget;
mod buffer;
mod delay;
mod error;
mod fields;
mod history;
mod operation;
mod outcome;
mod policy;
mod preview;
mod retry_after;
mod stream;

/// Refuses to allocate: nothing here asks for it.
#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: lol_alloc::FailAllocator = lol_alloc::FailAllocator;

pub use budget::{budget_line, budget_of_line};
pub use buffer::{bytes, bytes_capacity, words};
pub use delay::{delay, fill, window};
pub use fields::{fields, sizes};
pub use history::{history_counts, history_merge, history_record, history_text};
pub use operation::{begin, decide};
pub use outcome::http_outcome;
pub use policy::{fit, policy, policy_line, policy_of_line};
pub use preview::{preview_begin, preview_next};
pub use retry_after::retry_after;
pub use stream::{advance, draw, key_begin, key_stream, key_update};
