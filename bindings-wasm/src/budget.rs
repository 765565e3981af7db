//! Budgets. JavaScript keeps their state as words.

use backoff_core::Budget;
use backoff_core::ffi;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::{Buffers, with_buffers};
use crate::errors::write_parse_error;

/// The place of a budget in the words: after an operation.
const BUDGET_OFFSET: usize = ffi::OPERATION_WORDS;

/// The place after a budget in the words.
pub(crate) const BUDGET_END: usize = BUDGET_OFFSET + ffi::BUDGET_WORDS;

/// The place of a budget in the words.
#[wasm_bindgen]
pub fn budget_offset() -> usize {
    BUDGET_OFFSET
}

/// The number of words of a budget.
#[wasm_bindgen]
pub fn budget_words() -> usize {
    ffi::BUDGET_WORDS
}

/// Writes the budget of the string in the first `length` bytes into the words. If the string is
/// refused it returns false, and the buffers hold the error (`errors.rs`).
#[wasm_bindgen]
pub fn budget_parse(length: usize) -> bool {
    match with_buffers(|buffers| Some(Budget::parse(buffers.text(length)))) {
        Some(Ok(budget)) => {
            with_buffers(|buffers| save(buffers, &budget));
            true
        }
        Some(Err(error)) => {
            write_parse_error(&error);
            false
        }
        None => false,
    }
}

/// Writes the string of the budget in the words into the bytes; returns its length.
#[wasm_bindgen]
pub fn budget_text() -> usize {
    with_buffers(|buffers| {
        let text = load(buffers).text();
        buffers.write_text(0, text.as_bytes())
    })
}

/// Whether the kind of the budget in the words uses a field.
#[wasm_bindgen]
pub fn budget_has(field: u32) -> bool {
    get(field).is_some()
}

/// The value of a field of the budget in the words, or 0 if its kind does not use the field.
#[wasm_bindgen]
pub fn budget_get(field: u32) -> u64 {
    get(field).unwrap_or_default()
}

fn get(field: u32) -> Option<u64> {
    let field = ffi::field_from_number(field)?;
    with_buffers(|buffers| ffi::budget_value(&load(buffers), field))
}

pub(crate) fn load(buffers: &Buffers) -> Budget {
    ffi::budget_from_words(buffers.words_at(BUDGET_OFFSET))
}

pub(crate) fn save(buffers: &mut Buffers, budget: &Budget) {
    buffers.write_words(BUDGET_OFFSET, &ffi::budget_to_words(budget));
}
