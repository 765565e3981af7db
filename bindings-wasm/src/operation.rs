//! Operations under the current policy. JavaScript keeps their state as words: the first words.

use backoff_core::{Budget, Operation, RandomStream, ffi};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::budget::{self, BUDGET_END};
use crate::buffer::{Buffers, with_buffers};
use crate::delays::with_current;

/// The place of the last decision in the words: the delay in nanoseconds, the retries, the
/// attempts, and the number of the stop reason or 0.
const DECISION_OFFSET: usize = BUDGET_END;

/// The number of words of an operation.
#[wasm_bindgen]
pub fn operation_words() -> usize {
    ffi::OPERATION_WORDS
}

/// The place of the last decision in the words.
#[wasm_bindgen]
pub fn decision_offset() -> usize {
    DECISION_OFFSET
}

/// The stream of loop number `n` under a seed (SPEC 18.1).
#[wasm_bindgen]
pub fn stream_nth(seed: u64, n: u64) -> u64 {
    RandomStream::nth(seed, n).state()
}

/// Begins an operation and writes it into the words, which hold its budget if it has one. Without one
/// it may have made retries already. The deadline 2^64 - 1 means none.
#[wasm_bindgen]
pub fn begin(stream: u64, now: u64, deadline: u64, retries: u64, has_budget: bool) {
    with_buffers(|buffers| {
        let budget = has_budget.then(|| budget::load(buffers));
        let stream = RandomStream::from_seed(stream);
        if let Some(policy) = with_current(|policy| Some(*policy)) {
            let deadline = Some(deadline);
            let operation = match budget.as_ref() {
                None => Operation::resume(policy, stream, retries, now, deadline),
                some => Operation::begin(policy, stream, now, deadline, some),
            };
            save(buffers, &operation, 0, budget.as_ref());
        }
    });
}

/// In place of an outcome: refuses the retry that was decided.
const REFUSE: u32 = u32::MAX;

/// Reports the outcome of an attempt to the operation in the words, cancels it if the outcome is 0, or
/// refuses its retry, and writes its decision.
#[wasm_bindgen]
pub fn decide(outcome: u32, now: u64, has_retry_after: bool, retry_after: u64, has_budget: bool) {
    with_buffers(|buffers| {
        let budget = has_budget.then(|| budget::load(buffers));
        let Some(policy) = with_current(|policy| Some(*policy)) else { return };
        let mut operation = ffi::operation_from_words(policy, buffers.words_at(0));
        let mut delay = 0;
        if let Some(outcome) = ffi::outcome_from_number(outcome) {
            let retry_after = has_retry_after.then_some(retry_after);
            delay = operation.decide(outcome, retry_after, now, budget.as_ref()).delay_ns();
        } else if outcome == REFUSE {
            operation.refuse_retry(budget.as_ref());
        } else {
            operation.cancel(budget.as_ref());
        }
        save(buffers, &operation, delay, budget.as_ref());
    });
}

fn save(buffers: &mut Buffers, operation: &Operation, delay_ns: u64, budget: Option<&Budget>) {
    buffers.write_words(0, &ffi::operation_to_words(operation));
    if let Some(budget) = budget {
        budget::save(buffers, budget);
    }
    let reason = operation.reason().map_or(0, |reason| reason as u64);
    let decision = [delay_ns, operation.retries(), operation.attempts(), reason];
    buffers.write_words(DECISION_OFFSET, &decision);
}
