//! The policy in use: JavaScript hands it over once and then asks for its delays.

use std::cell::Cell;

use backoff_core::{Field, Params, Policy};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::with_buffers;
use crate::error::{refuse, refuse_line};

thread_local! {
    static IN_USE: Cell<Option<Policy>> = const { Cell::new(None) };
}

/// Takes the fields in the words into use and returns those of the policy: the bit of a
/// field's number says that it is given, and the words then hold every field with the
/// defaults filled in.
///
/// For a policy that is refused it returns 0 and the policy in use stays; the buffers then
/// hold the error (`error.rs`).
#[wasm_bindgen]
#[must_use]
pub fn policy(given: u32) -> u32 {
    take(read(given).build().map_err(|error| refuse(&error)))
}

/// As `policy`, of the line in the first `length` of the bytes.
#[wasm_bindgen]
#[must_use]
pub fn policy_of_line(length: usize) -> u32 {
    let policy = with_buffers(|buffers| Some(Policy::parse(buffers.text(length))));
    policy.map_or(0, |policy| take(policy.map_err(|error| refuse_line(&error))))
}

/// As `policy`, of the policy in use with the base or the cap with which so many attempts fit
/// into a time.
#[wasm_bindgen]
#[must_use]
pub fn fit(is_cap: bool, attempts: u64, total: u64) -> u32 {
    let fitted = ask(|policy| {
        Some(if is_cap {
            policy.fit_cap(attempts, total)
        } else {
            policy.fit_base(attempts, total)
        })
    });
    fitted.map_or(0, |fitted| take(fitted.map_err(|error| refuse(&error))))
}

/// Leaves the line of the policy in use in the bytes and returns its length.
#[wasm_bindgen]
#[must_use]
pub fn policy_line() -> usize {
    ask(|policy| with_buffers(|buffers| buffers.write_text(0, policy.line().as_bytes())))
}

/// The answer of the policy in use.
pub(crate) fn ask<T: Default>(question: impl FnOnce(&Policy) -> T) -> T {
    IN_USE.try_with(Cell::get).ok().flatten().as_ref().map(question).unwrap_or_default()
}

fn take(policy: Result<Policy, ()>) -> u32 {
    let Ok(policy) = policy else { return 0 };
    IN_USE.try_with(|in_use| in_use.set(Some(policy))).unwrap_or_default();
    write(&policy.params())
}

fn read(given: u32) -> Params {
    let mut params = Params::default();
    with_buffers(|buffers| {
        for (&field, &word) in Field::ALL.iter().zip(&buffers.words) {
            if given & bit(field) != 0 {
                params.set(field, word);
            }
        }
    });
    params
}

fn write(params: &Params) -> u32 {
    with_buffers(|buffers| {
        let mut given = 0;
        for (&field, slot) in Field::ALL.iter().zip(&mut buffers.words) {
            if let Some(word) = params.word(field) {
                *slot = word;
                given |= bit(field);
            }
        }
        given
    })
}

fn bit(field: Field) -> u32 {
    1_u32.wrapping_shl(field as u32)
}
