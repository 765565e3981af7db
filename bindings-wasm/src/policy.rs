//! Policies: from params and strings, their windows, previews and fits.

use std::cell::Cell;

use backoff_core::ffi;
use backoff_core::{Policy, PolicyError, Preview, PreviewRow};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::with_buffers;
use crate::delays::{set_current, with_current};
use crate::errors::{write_parse_error, write_policy_error};
use crate::params;

thread_local! {
    static PREVIEW: Cell<Option<Preview>> = const { Cell::new(None) };
}

/// Makes the policy of the params in the words current, and fills in their defaults. If they are
/// refused this returns false, the current policy stays, and the buffers hold the error
/// (`errors.rs`).
#[wasm_bindgen]
pub fn policy_init() -> bool {
    let params = with_buffers(|buffers| params::load(buffers));
    make_current(ffi::build_policy(&params))
}

/// As `policy_init`, for the policy string in the first `length` bytes.
#[wasm_bindgen]
pub fn policy_parse(length: usize) -> bool {
    match with_buffers(|buffers| Some(Policy::parse(buffers.text(length)))) {
        Some(Ok(policy)) => make_current(Ok(policy)),
        Some(Err(error)) => {
            write_parse_error(&error);
            false
        }
        None => false,
    }
}

/// As `policy_init`, for the current policy with the longest base that fits.
#[wasm_bindgen]
pub fn policy_fit_base(attempts: u64, total: u64) -> bool {
    with_current(|policy| Some(policy.fit_base(attempts, total))).is_some_and(make_current)
}

/// As `policy_init`, for the current policy with the longest cap that fits.
#[wasm_bindgen]
pub fn policy_fit_cap(attempts: u64, total: u64) -> bool {
    with_current(|policy| Some(policy.fit_cap(attempts, total))).is_some_and(make_current)
}

/// Writes the string of the current policy into the bytes; returns its length.
#[wasm_bindgen]
pub fn policy_text() -> usize {
    with_current(|policy| with_buffers(|buffers| buffers.write_text(0, policy.text().as_bytes())))
}

/// The window of an index, in nanoseconds.
#[wasm_bindgen]
pub fn window(index: u32) -> u64 {
    with_current(|policy| policy.window_ns(index))
}

/// Begins a preview of the current policy.
#[wasm_bindgen]
pub fn preview_begin() {
    set_preview(with_current(|policy| Some(policy.preview())));
}

/// Writes the next row of the preview into the words, in nanoseconds; false after the last row.
#[wasm_bindgen]
pub fn preview_next() -> bool {
    let Some(mut preview) = PREVIEW.try_with(Cell::take).ok().flatten() else { return false };
    let Some(row) = preview.next() else { return false };
    set_preview(Some(preview));
    let PreviewRow { min_ns, mean_ns, max_ns, total_min_ns, total_mean_ns, total_max_ns, .. } = row;
    let words = [min_ns, mean_ns, max_ns, total_min_ns, total_mean_ns, total_max_ns];
    with_buffers(|buffers| buffers.write_words(0, &words));
    true
}

fn set_preview(preview: Option<Preview>) {
    PREVIEW.try_with(|slot| slot.set(preview)).unwrap_or_default();
}

fn make_current(policy: Result<Policy, PolicyError>) -> bool {
    match policy {
        Ok(policy) => {
            set_current(policy);
            with_buffers(|buffers| params::save(buffers, &ffi::policy_params(&policy)));
            true
        }
        Err(error) => {
            write_policy_error(&error);
            false
        }
    }
}
