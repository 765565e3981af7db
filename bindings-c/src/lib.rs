//! libbackoff: the C ABI of backoff-core. `include/backoff.h` is generated from this crate, so its
//! documentation addresses C programmers.
//!
//! The crate computes nothing: it checks pointers, converts, and calls the core. All unsafe code of
//! the library is here.

#![no_std]
// The names and the documentation are those of a C header, which says once what every pointer must be.
#![allow(non_camel_case_types, clippy::doc_markdown, clippy::missing_safety_doc)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod exported;
mod handle;
mod text;

// The chapters of the header (`bindings-c/header`), in their order.
mod version;

mod code;

mod field_number;

mod field;

mod params;

mod policy;

mod stream;

mod delay;

mod preview;

mod outcome;

mod operation;

mod budget;

mod http;

mod stats;

mod error;

mod budget_state;

mod member;

mod binding;

// Go iterates itself; WebAssembly has no callbacks, no entropy, and pointers of another size.
#[cfg(not(feature = "go"))]
mod constant_table;

#[cfg(not(feature = "go"))]
mod constants;

#[cfg(not(target_family = "wasm"))]
mod entropy;

#[cfg(not(feature = "go"))]
mod iterator;

#[cfg(not(target_family = "wasm"))]
mod labels;

#[cfg(not(target_family = "wasm"))]
mod retry;

#[cfg(feature = "go")]
mod go;

pub use binding::*;
pub use budget::*;
pub use budget_state::*;
pub use code::*;
#[cfg(not(feature = "go"))]
pub use constants::*;
pub use delay::*;
pub use error::*;
pub use field::*;
pub use field_number::*;
#[cfg(feature = "go")]
pub use go::*;
pub use http::*;
#[cfg(not(feature = "go"))]
pub use iterator::*;
#[cfg(not(target_family = "wasm"))]
pub use labels::*;
pub use member::*;
pub use operation::*;
pub use outcome::*;
pub use params::*;
pub use policy::*;
pub use preview::*;
#[cfg(not(target_family = "wasm"))]
pub use retry::*;
pub use stats::*;
pub use stream::*;
pub use version::*;

#[cfg(test)]
#[allow(clippy::undocumented_unsafe_blocks, clippy::unwrap_used)]
#[path = "../tests/miri.rs"]
mod miri;

// A debug build unwinds, as tests do, so that both share what they depend on.
#[cfg(not(panic = "abort"))]
extern crate std;

/// `no_std` requires a handler. Nothing here panics (a test searches the symbols of the library);
/// if something did, the process must stop, because no panic may cross into C.
#[cfg(panic = "abort")]
#[panic_handler]
fn stop(_: &core::panic::PanicInfo<'_>) -> ! {
    #[cfg(not(any(target_family = "wasm", target_os = "none")))]
    // SAFETY: `abort` has no preconditions.
    unsafe {
        libc::abort()
    }
    #[cfg(target_family = "wasm")]
    core::arch::wasm32::unreachable();
    #[cfg(target_os = "none")]
    loop {
        core::hint::spin_loop();
    }
}
