//! The fields of a policy before it is checked. JavaScript keeps them as words: the first words.

use backoff_core::ffi::{self, FieldSet, POLICY_FIELDS};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::{Buffers, with_buffers};

/// The bits of the fields that are set, then the value of each field.
const PARAMS_WORDS: usize = 1 + POLICY_FIELDS.len();

/// The number of words of the params.
#[wasm_bindgen]
pub fn params_words() -> usize {
    PARAMS_WORDS
}

/// Unsets every field of the params in the words.
#[wasm_bindgen]
pub fn params_clear() {
    with_buffers(|buffers| save(buffers, &FieldSet::default()));
}

/// Sets a field of the params in the words. An unknown field is ignored.
#[wasm_bindgen]
pub fn params_set(field: u32, value: u64) {
    with_buffers(|buffers| {
        if let Some(field) = ffi::field_from_number(field) {
            let mut params = load(buffers);
            params.set(field, value);
            save(buffers, &params);
        }
    });
}

/// Whether a field of the params in the words is set.
#[wasm_bindgen]
pub fn params_has(field: u32) -> bool {
    get(field).is_some()
}

/// The value of a field of the params in the words, or 0 if it is not set.
#[wasm_bindgen]
pub fn params_get(field: u32) -> u64 {
    get(field).unwrap_or_default()
}

fn get(field: u32) -> Option<u64> {
    with_buffers(|buffers| load(buffers).get(ffi::field_from_number(field)?))
}

pub(crate) fn load(buffers: &Buffers) -> FieldSet {
    let [bits, values @ ..] = buffers.words_at::<PARAMS_WORDS>(0);
    FieldSet::from_bits(*bits, values)
}

pub(crate) fn save(buffers: &mut Buffers, params: &FieldSet) {
    buffers.write_words(0, &[params.bits()]);
    let values = POLICY_FIELDS.map(|field| params.get(field).unwrap_or_default());
    buffers.write_words(1, &values);
}
