//! States of budgets as values. JavaScript keeps a state as its text, and the budget beside it.

use backoff_core::{BudgetState, Outcome, ffi};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::budget::{self, BUDGET_END};
use crate::buffer::with_buffers;

/// Replaces the state in the first `length` bytes, or a full one if there are none, by the state
/// after an event, under the budget in the words; returns its length, or 0 if the text is no state of
/// that budget. Where decisions are (`operation.rs`), it writes whether a retry was granted and what
/// the operation then holds. The event 0 changes nothing.
#[wasm_bindgen]
pub fn budget_step(length: usize, event: u32, outcome: u32, held: u64, now: u64) -> usize {
    with_buffers(|buffers| {
        let budget = budget::load(buffers);
        let state = match length {
            0 => Some(BudgetState::full(&budget)),
            _ => BudgetState::parse(&budget, buffers.text(length)),
        };
        let Some(mut state) = state else { return 0 };
        let outcome = ffi::outcome_from_number(outcome).unwrap_or(Outcome::Transient);
        let mut answer = None;
        if let Some(event) = ffi::budget_event(event, outcome, held) {
            (state, answer) = state.step(event, now);
        }
        buffers.write_words(BUDGET_END, &[answer.is_some().into(), answer.unwrap_or_default()]);
        buffers.write_text(0, state.text().as_bytes())
    })
}
