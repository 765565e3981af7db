//! The policy in use: JavaScript hands it over once and then asks for its delays.

use std::cell::Cell;

use backoff_core::{Field, Params, Policy, PolicyError};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::with_buffers;

thread_local! {
    static IN_USE: Cell<Option<Policy>> = const { Cell::new(None) };
}

/// Takes the fields in the words into use and returns those of the policy: the bit of a
/// field's number says that it is given, and the words then hold every field with the
/// defaults filled in.
///
/// For a policy that is refused it returns 0 and the policy in use stays; the words begin
/// with the value, the limit and the length of the text in the bytes: code, field and
/// message, a line each.
#[wasm_bindgen]
#[must_use]
pub fn policy(given: u32) -> u32 {
    match read(given).build() {
        Ok(policy) => {
            IN_USE.try_with(|in_use| in_use.set(Some(policy))).unwrap_or_default();
            write(&policy.params())
        }
        Err(error) => refuse(&error),
    }
}

/// The answer of the policy in use.
pub(crate) fn ask<T: Default>(question: impl FnOnce(&Policy) -> T) -> T {
    IN_USE.try_with(Cell::get).ok().flatten().as_ref().map(question).unwrap_or_default()
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

fn refuse(error: &PolicyError) -> u32 {
    let message = error.text();
    with_buffers(|buffers| {
        let mut length = 0;
        let (code, field) = (error.code().name(), error.field().name());
        for text in [code.as_bytes(), b"\n", field.as_bytes(), b"\n", message.as_bytes()] {
            length = buffers.write_text(length, text);
        }
        for (slot, word) in
            buffers.words.iter_mut().zip([error.value(), error.limit(), length as u64])
        {
            *slot = word;
        }
        0
    })
}

fn bit(field: Field) -> u32 {
    1_u32.wrapping_shl(field as u32)
}
