//! Budgets. JavaScript keeps one as the bytes that are here while it is the current one.

use std::cell::RefCell;

use backoff_core::ffi::{self, BUDGET_FIELDS};
use backoff_core::{Budget, BudgetLevel, BudgetState, Outcome};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::{Buffers, with_buffers};
use crate::errors::write_parse_error;

pub(crate) struct Account {
    pub(crate) budget: Budget,
    state: BudgetState,
}

thread_local! {
    static CURRENT: RefCell<Option<Account>> = const { RefCell::new(None) };
}

/// The address of the current budget.
#[wasm_bindgen]
pub fn budget() -> usize {
    CURRENT.try_with(|current| current.as_ptr().addr()).unwrap_or_default()
}

/// The number of bytes of a budget.
#[wasm_bindgen]
pub fn budget_size() -> usize {
    size_of::<Option<Account>>()
}

/// Makes the budget of the string in the first `length` bytes current. If the string is refused it returns false, and
/// the buffers hold the error (`errors.rs`).
#[wasm_bindgen]
pub fn budget_parse(length: usize) -> bool {
    with_buffers(|buffers| match Budget::parse(buffers.text(length)) {
        Ok(budget) => CURRENT
            .try_with(|current| {
                let Ok(mut current) = current.try_borrow_mut() else { return false };
                let state = BudgetState::full(&budget);
                *current = Some(Account { budget, state });
                true
            })
            .unwrap_or_default(),
        Err(error) => {
            write_parse_error(buffers, &error);
            false
        }
    })
}

/// Writes the string of the current budget into the bytes; returns its length.
#[wasm_bindgen]
pub fn budget_text() -> usize {
    with_account(|account, buffers| {
        let text = account.budget.text();
        buffers.write_text(0, text.as_bytes())
    })
}

/// Writes for each field of a budget two words: whether the kind of the current one uses the field, and its value.
#[wasm_bindgen]
pub fn budget_params() {
    with_account(|account, buffers| {
        BUDGET_FIELDS.into_iter().fold(0, |end, field| {
            let value = ffi::budget_value(&account.budget, field);
            buffers.write_words(end, &[value.is_some().into(), value.unwrap_or_default()])
        });
    });
}

/// Writes what the current budget has left at a time: the level, the highest one and the parts of a token. Of a state in
/// the first `length` bytes, if there are any. Returns whether these are a state of that budget.
#[wasm_bindgen]
pub fn budget_level(length: usize, now: u64) -> bool {
    with_account(|Account { budget, state }, buffers| {
        let state = match length {
            0 => Some(*state),
            _ => BudgetState::parse(budget, buffers.text(length)),
        };
        let Some(state) = state else { return false };
        let BudgetLevel { level, max, unit } = state.level(now);
        buffers.write_words(0, &[level, max, unit]);
        true
    })
}

/// Reports an event to the current budget, in which the last granted retry of the operation gave what it holds. Writes
/// whether a requested retry is granted, and what it then holds.
#[wasm_bindgen]
pub fn budget_report(event: u32, outcome: u32, held: u64, now: u64) {
    with_account(|account, buffers| {
        account.state = step(buffers, account.state, event, outcome, held, now);
    });
}

/// Replaces the state in the first `length` bytes, or a full one if there are none, by the state after an event, under
/// the current budget; returns its length, or 0 if the text is no state of that budget. The event 0 changes nothing.
/// Writes as `budget_report` does.
#[wasm_bindgen]
pub fn budget_step(length: usize, event: u32, outcome: u32, held: u64, now: u64) -> usize {
    with_account(|Account { budget, .. }, buffers| {
        let before = match length {
            0 => Some(BudgetState::full(budget)),
            _ => BudgetState::parse(budget, buffers.text(length)),
        };
        let Some(before) = before else { return 0 };
        let after = step(buffers, before, event, outcome, held, now);
        buffers.write_text(0, after.text().as_bytes())
    })
}

fn step(
    buffers: &mut Buffers,
    state: BudgetState,
    event: u32,
    outcome: u32,
    held: u64,
    now: u64,
) -> BudgetState {
    let outcome = ffi::outcome_from_number(outcome).unwrap_or(Outcome::Transient);
    let event = ffi::budget_event(event, outcome, held);
    let (state, answer) = event.map_or((state, None), |event| state.step(event, now));
    buffers.write_words(0, &[answer.is_some().into(), answer.unwrap_or_default()]);
    state
}

pub(crate) fn with_account<T: Default>(work: impl FnOnce(&mut Account, &mut Buffers) -> T) -> T {
    with_buffers(|buffers| {
        CURRENT
            .try_with(|current| Some(work(current.try_borrow_mut().ok()?.as_mut()?, buffers)))
            .ok()
            .flatten()
            .unwrap_or_default()
    })
}
