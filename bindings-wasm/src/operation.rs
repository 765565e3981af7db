//! Operations under the policy in use, as the words that are their state.

use backoff_core::{Budget, Decision, Operation, Outcome, Stream};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::budget;
use crate::buffer::{Buffers, with_buffers};
use crate::policy::ask;

/// Where the answer is: the delay in nanoseconds, the retries, the attempts, and the number of
/// the reason for which the operation stopped, or 0.
const ANSWER: usize = budget::PLACE + Budget::WORDS;

/// Leaves an operation that begins now, and its answer, in the words. If it has a budget, that
/// is in the words too. The deadline 2^64 - 1 is none.
#[wasm_bindgen]
pub fn begin(stream: u64, now: u64, deadline: u64, has_budget: bool) {
    with_buffers(|buffers| {
        let budget = has_budget.then(|| budget::load(buffers));
        let stream = Stream::from_seed(stream);
        if let Some(policy) = ask(|policy| Some(*policy)) {
            let operation = Operation::begin(policy, stream, now, Some(deadline), budget.as_ref());
            leave(buffers, &operation, 0, budget.as_ref());
        }
    });
}

/// Tells the operation in the words how an attempt ended, or gives it up with the outcome 0,
/// and leaves its answer.
#[wasm_bindgen]
pub fn decide(outcome: u32, now: u64, has_hint: bool, hint: u64, has_budget: bool) {
    with_buffers(|buffers| {
        let budget = has_budget.then(|| budget::load(buffers));
        let Some(policy) = ask(|policy| Some(*policy)) else { return };
        let mut operation = Operation::from_words(policy, buffers.words_at(0));
        let mut delay = 0;
        if let Some(outcome) = Outcome::from_number(outcome) {
            let hint = has_hint.then_some(hint);
            let decision = operation.decide(outcome, hint, now, budget.as_ref());
            let (Decision::Wait(delay_ns) | Decision::Stop { delay_ns, .. }) = decision;
            delay = delay_ns;
        } else {
            operation.cancel(budget.as_ref());
        }
        leave(buffers, &operation, delay, budget.as_ref());
    });
}

fn leave(buffers: &mut Buffers, operation: &Operation, delay: u64, budget: Option<&Budget>) {
    buffers.write_words(0, &operation.to_words());
    if let Some(budget) = budget {
        budget::save(buffers, budget);
    }
    let reason = operation.stopped().map_or(0, |reason| reason as u64);
    buffers.write_words(ANSWER, &[delay, operation.retries(), operation.attempts(), reason]);
}
