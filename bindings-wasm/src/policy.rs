//! Policies: from params and strings.
//!
//! Params are the fields of a policy as words: the bits of those that are set, then the value of each, then the waits.

use backoff_core::ffi::{self, FieldSet, POLICY_FIELDS};
use backoff_core::{Policy, PolicyError};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::{Buffers, with_buffers};
use crate::errors::{write_parse_error, write_policy_error};

/// The first word of the waits.
const WAITS_AT: usize = POLICY_FIELDS.len().saturating_add(1);

/// Makes the policy of the params in the words current, or changes the current one by them as by pairs after its
/// string. If they are refused this returns false, the current policy stays, and the buffers hold the error
/// (`errors.rs`).
#[wasm_bindgen]
pub fn policy_build(is_change: bool) -> bool {
    with_buffers(|buffers| {
        let [bits, values @ ..] = buffers.words_at::<{ 1 + POLICY_FIELDS.len() }>(0);
        let fields = FieldSet::from_bits(*bits, values, buffers.words_at(WAITS_AT));
        let policy = if is_change {
            ffi::change_policy_fields(&buffers.policy, &fields)
        } else {
            ffi::build_policy(&fields)
        };
        make_current(buffers, policy)
    })
}

/// As `policy_build`, for the policy string in the first `length` bytes.
#[wasm_bindgen]
pub fn policy_parse(length: usize) -> bool {
    with_buffers(|buffers| match Policy::parse(buffers.text(length)) {
        Ok(policy) => make_current(buffers, Ok(policy)),
        Err(error) => {
            write_parse_error(buffers, &error);
            false
        }
    })
}

/// Writes the params of the current policy, with the defaults filled in, into the words.
#[wasm_bindgen]
pub fn policy_params() {
    with_buffers(|buffers| {
        let params = ffi::policy_params(&buffers.policy);
        buffers.write_words(0, &[params.bits()]);
        let end = buffers
            .write_words(1, &POLICY_FIELDS.map(|field| params.get(field).unwrap_or_default()));
        buffers.write_words(end, params.waits().as_ns());
    });
}

/// Writes the string of the current policy into the bytes; returns its length.
#[wasm_bindgen]
pub fn policy_text() -> usize {
    with_buffers(|buffers| {
        let text = buffers.policy.text();
        buffers.write_text(0, text.as_bytes())
    })
}

pub(crate) fn make_current(buffers: &mut Buffers, policy: Result<Policy, PolicyError>) -> bool {
    match policy {
        Ok(policy) => {
            buffers.policy = policy;
            true
        }
        Err(error) => {
            write_policy_error(buffers, &error);
            false
        }
    }
}
