//! The delays of a plain policy, whose window doubles and whose jitter is full, as functions of numbers alone.
//!
//! These need no memory, so they become plain Go, which the compiler inlines: a delay takes 2.1 ns. Through the
//! C ABI crate, whose policy is copied into a memory, it takes 19 ns.
//!
//! A delay is the upper half of a product of 128 bits, which is one instruction only with wide arithmetic.
//! The C ABI crate is compiled without that: with it, LLVM 22 reads the sum of two `u128` before it is
//! computed, where a select needs both the sum and its overflow.

use backoff_core::RandomStream;
use backoff_core::ffi;

/// The random number of an index of a stream.
#[unsafe(no_mangle)]
pub extern "C" fn draw(stream: u64, index: u32) -> u64 {
    RandomStream::from_seed(stream).draw(index)
}

/// The stream after a number of draws.
#[unsafe(no_mangle)]
pub extern "C" fn advance(stream: u64, draws: u64) -> u64 {
    RandomStream::from_seed(stream).advance(draws).state()
}

/// The window of an index under a plain policy, in ns.
#[unsafe(no_mangle)]
pub extern "C" fn window(base: u64, cap: u64, index: u32) -> u64 {
    ffi::doubling_window_ns(base, cap, index)
}

/// The window after a window under a plain policy, in ns.
#[unsafe(no_mangle)]
pub extern "C" fn next_window(window: u64, cap: u64) -> u64 {
    ffi::next_doubling_window_ns(window, cap)
}

/// The delay of an index under a plain policy from its window and its draw, in ns.
#[unsafe(no_mangle)]
pub extern "C" fn delay(window: u64, draw: u64) -> u64 {
    ffi::doubling_delay_ns(window, draw)
}
