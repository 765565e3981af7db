//! libbackoff: the C ABI of backoff-core. `include/backoff.h` is generated from this crate
//! and is its manual: what is said here is said to a C programmer.
//!
//! It computes nothing: it checks pointers, converts, and calls the core. It is the only
//! crate with unsafe code.

#![no_std]
// The names and the documentation are those of a C header.
#![allow(non_camel_case_types, clippy::doc_markdown)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod filled;
mod name;
mod text;

// The header follows the order of these lines: the one in which it is read.
mod version;

mod params;

mod policy;

mod line;

mod preview;

mod stream;

mod iterator;

mod budget;

mod operation;

mod http;

mod history;

mod retry;

mod code;

pub use budget::*;
pub use code::*;
pub use history::*;
pub use http::*;
pub use iterator::*;
pub use line::*;
pub use operation::*;
pub use params::*;
pub use policy::*;
pub use preview::*;
pub use retry::*;
pub use stream::*;
pub use version::*;

/// `no_std` must name a handler. Nothing here panics (a test reads the symbols of the
/// library), and if anything did, stopping is all that may cross into C.
#[cfg(panic = "abort")]
#[panic_handler]
fn stop(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: `abort` has no preconditions.
    unsafe { libc::abort() }
}
