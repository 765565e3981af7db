//! Budgets, as the words that are their state.

use backoff_core::Budget;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::{Buffers, with_buffers};
use crate::error::refuse_line;

/// Where the words of a budget are: the first, but for those of an operation.
pub(crate) const PLACE: usize = backoff_core::Operation::WORDS;

/// Leaves the budget of the line in the first `length` of the bytes in the words. For a line
/// that is refused it returns false, and the buffers then hold the error (`error.rs`).
#[wasm_bindgen]
#[must_use]
pub fn budget_of_line(length: usize) -> bool {
    let budget = with_buffers(|buffers| Some(Budget::parse(buffers.text(length))));
    match budget {
        Some(Ok(budget)) => {
            with_buffers(|buffers| save(buffers, &budget));
            true
        }
        Some(Err(error)) => {
            refuse_line(&error);
            false
        }
        None => false,
    }
}

/// Leaves the line of the budget in the words in the bytes and returns its length.
#[wasm_bindgen]
#[must_use]
pub fn budget_line() -> usize {
    with_buffers(|buffers| {
        let line = load(buffers).line();
        buffers.write_text(0, line.as_bytes())
    })
}

pub(crate) fn load(buffers: &Buffers) -> Budget {
    Budget::from_words(buffers.words_at(PLACE))
}

pub(crate) fn save(buffers: &mut Buffers, budget: &Budget) {
    buffers.write_words(PLACE, &budget.to_words());
}
