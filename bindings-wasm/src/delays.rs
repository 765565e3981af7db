//! The current policy: JavaScript makes a policy current once and then asks for its delays.

use std::cell::RefCell;

use backoff_core::{Policy, RandomStream};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::WORDS;
use crate::buffer::with_buffers;

thread_local! {
    static CURRENT_POLICY: RefCell<Option<Policy>> = const { RefCell::new(None) };
}

/// The delay of an index, in nanoseconds.
#[wasm_bindgen]
pub fn delay(stream: u64, index: u32) -> u64 {
    with_current(|policy| policy.delay_ns(RandomStream::from_seed(stream), index))
}

/// Writes the delays of `first`, `first + 1`, ... into the words, in nanoseconds; returns their
/// number, which is below `count` if the words or the indices end.
#[wasm_bindgen]
pub fn fill(stream: u64, first: u32, count: usize) -> usize {
    with_current(|policy| {
        with_buffers(|buffers| {
            let delays = buffers.words.get_mut(..count.min(WORDS)).unwrap_or_default();
            policy.fill_ns(RandomStream::from_seed(stream), first, delays)
        })
    })
}

/// Goes on with an iterator: writes the stream after a number of draws into the words, and then the
/// delays of `first`, `first + 1`, ... as nanoseconds in floating point, which JavaScript reads without
/// making bigints. Returns the number of delays, which is below `count` if the words or the indices
/// end. The draws come as halves for the same reason.
#[wasm_bindgen]
pub fn refill(stream: u64, draws_low: u32, draws_high: u32, first: u32, count: usize) -> usize {
    let draws = u64::from(draws_high).wrapping_shl(32) | u64::from(draws_low);
    let stream = RandomStream::from_seed(stream).advance(draws);
    with_current(|policy| {
        with_buffers(|buffers| {
            let [state, delays @ ..] = &mut buffers.words;
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

/// The result for the current policy.
pub(crate) fn with_current<T: Default>(ask: impl FnOnce(&Policy) -> T) -> T {
    CURRENT_POLICY
        .try_with(|current| current.try_borrow().ok()?.as_ref().map(ask))
        .ok()
        .flatten()
        .unwrap_or_default()
}

pub(crate) fn set_current(policy: Policy) {
    CURRENT_POLICY
        .try_with(|current| {
            current.try_borrow_mut().map(|mut current| *current = Some(policy)).ok()
        })
        .unwrap_or_default();
}
