//! The WebAssembly module inside `backoff-wasm/delay`: policies from fields, streams and delays.
//!
//! It has functions of the module of `backoff-wasm`, with the same names and the same meaning, but no
//! policy strings, operations and budgets. It is small because an error is only its numbers.

#![forbid(unsafe_code)]
#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

use std::cell::{Cell, RefCell};

use backoff_core::ffi::{self, KeyHasher, POLICY_FIELDS, Params};
use backoff_core::{Policy, RandomStream};
use wasm_bindgen::prelude::wasm_bindgen;

/// Refuses to allocate: nothing in this module needs it.
#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: lol_alloc::FailAllocator = lol_alloc::FailAllocator;

/// The most delays that one call returns.
const WORDS: usize = 64;

/// The most bytes of a key that one call takes.
const BYTES: usize = 64;

thread_local! {
    static WORDS_BUFFER: RefCell<[u64; WORDS]> = const { RefCell::new([0; WORDS]) };
    static BYTES_BUFFER: RefCell<[u8; BYTES]> = const { RefCell::new([0; BYTES]) };
    static CURRENT_POLICY: RefCell<Option<Policy>> = const { RefCell::new(None) };
    static KEY: Cell<KeyHasher> = const { Cell::new(KeyHasher::new(0)) };
}

/// The address of the words, which are little-endian.
#[wasm_bindgen]
#[must_use]
pub fn words() -> usize {
    with_words(|words| words.as_mut_ptr().addr())
}

/// The address of the bytes.
#[wasm_bindgen]
#[must_use]
pub fn bytes() -> usize {
    BYTES_BUFFER.try_with(|bytes| bytes.as_ptr().addr()).unwrap_or_default()
}

/// The number of the bytes.
#[wasm_bindgen]
#[must_use]
pub fn bytes_capacity() -> usize {
    BYTES
}

/// Makes the policy of the params in the words current and returns 0. The params are the bits of the
/// fields that are set, then a value for each. If they are refused it returns the number of the error's
/// code, and the words hold the number of its field, its value and its limit.
#[wasm_bindgen]
#[must_use]
pub fn policy_init() -> u32 {
    with_words(|words| {
        let [bits, values @ ..] = words;
        let Some(values) = values.first_chunk::<{ POLICY_FIELDS.len() }>() else { return 0 };
        match ffi::build_policy(&Params::from_bits(*bits, values)) {
            Ok(policy) => {
                set_current(policy);
                0
            }
            Err(error) => {
                let numbers = [error.field() as u64, error.value(), error.limit()];
                for (slot, number) in words.iter_mut().zip(numbers) {
                    *slot = number;
                }
                error.code() as u32
            }
        }
    })
}

/// The most retries of the current policy.
#[wasm_bindgen]
#[must_use]
pub fn max_retries() -> u64 {
    with_current(Policy::max_retries)
}

/// The delay of an index, in nanoseconds.
#[wasm_bindgen]
#[must_use]
pub fn delay(stream: u64, index: u32) -> u64 {
    with_current(|policy| policy.delay_ns(RandomStream::from_seed(stream), index))
}

/// Writes the delays of `first`, `first + 1`, ... into the words, in nanoseconds; returns their
/// number, which is below `count` if the words or the indices end.
#[wasm_bindgen]
#[must_use]
pub fn fill(stream: u64, first: u32, count: usize) -> usize {
    with_current(|policy| {
        with_words(|words| {
            let delays = words.get_mut(..count.min(WORDS)).unwrap_or_default();
            policy.fill_ns(RandomStream::from_seed(stream), first, delays)
        })
    })
}

/// Goes on with an iterator: writes the stream after a number of draws into the words, and then the
/// delays of `first`, `first + 1`, ... as nanoseconds in floating point, which JavaScript reads without
/// making bigints. Returns the number of delays, which is below `count` if the words or the indices
/// end. The draws come as halves for the same reason.
#[wasm_bindgen]
#[must_use]
pub fn refill(stream: u64, draws_low: u32, draws_high: u32, first: u32, count: usize) -> usize {
    let draws = u64::from(draws_high).wrapping_shl(32) | u64::from(draws_low);
    let stream = RandomStream::from_seed(stream).advance(draws);
    with_current(|policy| {
        with_words(|words| {
            let [state, delays @ ..] = words;
            *state = stream.state();
            let delays = delays.get_mut(..count.min(const { WORDS - 1 })).unwrap_or_default();
            let filled = policy.fill_ns(stream, first, delays);
            for delay in delays {
                #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53, rounded above")]
                let rounded = *delay as f64;
                *delay = rounded.to_bits();
            }
            filled
        })
    })
}

/// Begins a key under a seed. JavaScript passes the key in parts that fit into the bytes.
#[wasm_bindgen]
pub fn key_begin(seed: u64) {
    KEY.try_with(|key| key.set(KeyHasher::new(seed))).unwrap_or_default();
}

/// Appends the first `length` bytes to the key.
#[wasm_bindgen]
pub fn key_update(length: usize) {
    with_bytes(length, |part| {
        KEY.try_with(|key| {
            let mut hasher = key.get();
            hasher.update(part);
            key.set(hasher);
        })
        .unwrap_or_default();
    });
}

/// The stream of the key.
#[wasm_bindgen]
#[must_use]
pub fn key_stream() -> u64 {
    KEY.try_with(|key| key.get().stream().state()).unwrap_or_default()
}

/// The draw of an index.
#[wasm_bindgen]
#[must_use]
pub fn draw(stream: u64, index: u32) -> u64 {
    RandomStream::from_seed(stream).draw(index)
}

/// Works on the words. They are never borrowed twice, so the default is never returned.
fn with_words<T: Default>(work: impl FnOnce(&mut [u64; WORDS]) -> T) -> T {
    WORDS_BUFFER
        .try_with(|words| words.try_borrow_mut().map(|mut words| work(&mut words)))
        .ok()
        .and_then(Result::ok)
        .unwrap_or_default()
}

/// Works on the first `length` bytes.
fn with_bytes<T: Default>(length: usize, work: impl FnOnce(&[u8]) -> T) -> T {
    BYTES_BUFFER
        .try_with(|bytes| {
            bytes.try_borrow().map(|bytes| work(bytes.get(..length).unwrap_or_default()))
        })
        .ok()
        .and_then(Result::ok)
        .unwrap_or_default()
}

fn with_current<T: Default>(ask: impl FnOnce(&Policy) -> T) -> T {
    CURRENT_POLICY
        .try_with(|current| current.try_borrow().ok()?.as_ref().map(ask))
        .ok()
        .flatten()
        .unwrap_or_default()
}

fn set_current(policy: Policy) {
    CURRENT_POLICY
        .try_with(|current| {
            current.try_borrow_mut().map(|mut current| *current = Some(policy)).ok()
        })
        .unwrap_or_default();
}
