//! Operations under the current policy, without a budget: JavaScript reports to that (`budget.rs`).

use backoff_core::RandomStream;
use backoff_core::ffi::{self, Progress};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::with_buffers;

/// Begins an operation, or resumes one that has made retries already. The deadline 2^64 - 1 means none.
#[wasm_bindgen]
pub fn begin(stream: u64, now: u64, deadline: u64, is_resumed: bool, retries: u64) {
    let (stream, deadline) = (RandomStream::from_seed(stream), Some(deadline));
    with_buffers(|buffers| {
        buffers.operation = Some(if is_resumed {
            Progress::resume(stream, retries, now, deadline)
        } else {
            Progress::begin(stream, now, deadline, None)
        });
    });
}

/// Writes about an attempt of the current operation that begins or fails now: its limit and the time that is left,
/// 2^64 - 1 without one, and the index of the delay that follows.
#[wasm_bindgen]
pub fn attempt(now: u64) {
    with_buffers(|buffers| {
        let Some(operation) = &buffers.operation else { return };
        let policy = ffi::schedule(&buffers.policy);
        let [limit, left] = operation.ends_ns(policy, now);
        buffers.write_words(0, &[limit, left, operation.retry_index(policy, now)]);
    });
}

/// In place of an outcome: refuses the retry that was decided.
const REFUSE: u32 = u32::MAX;

/// Reports the outcome of an attempt to the current operation, cancels it if the outcome is 0, or refuses its retry.
/// Writes the delay in nanoseconds, the retries and the number of the stop reason or 0.
#[wasm_bindgen]
pub fn decide(
    outcome: u32,
    now: u64,
    has_retry_after: bool,
    retry_after: u64,
    has_own_delay: bool,
    own_delay: u64,
) {
    with_buffers(|buffers| {
        let Some(operation) = &mut buffers.operation else { return };
        let mut delay = 0;
        if let Some(outcome) = ffi::outcome_from_number(outcome) {
            let retry_after = has_retry_after.then_some(retry_after);
            let own = has_own_delay.then_some(own_delay);
            let policy = ffi::schedule(&buffers.policy);
            delay = operation
                .decide_with_delay(policy, outcome, retry_after, own, now, None)
                .delay_ns();
        } else if outcome == REFUSE {
            operation.refuse_retry(None);
        } else {
            operation.cancel(None);
        }
        let reason = operation.reason().map_or(0, |reason| reason as u64);
        let decision = [delay, operation.retries(), reason];
        buffers.write_words(0, &decision);
    });
}
