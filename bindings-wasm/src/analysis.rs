//! Previews of the current policy, and policies that fit.

use std::cell::Cell;

use backoff_core::{Preview, PreviewRow};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::with_buffers;
use crate::policy::make_current;

thread_local! {
    static PREVIEW: Cell<Option<Preview>> = const { Cell::new(None) };
}

/// As `policy_build`, for the current policy with the longest base that fits, or the longest cap.
#[wasm_bindgen]
pub fn policy_fit(is_base: bool, attempts: u64, total: u64) -> bool {
    with_buffers(|buffers| {
        let policy = &buffers.policy;
        let policy = if is_base {
            policy.fit_base(attempts, total)
        } else {
            policy.fit_cap(attempts, total)
        };
        make_current(buffers, policy)
    })
}

/// Begins a preview of the current policy.
#[wasm_bindgen]
pub fn preview_begin() {
    set_preview(with_buffers(|buffers| Some(buffers.policy.preview())));
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
