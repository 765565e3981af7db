//! What the delays of the policy in use can be.

use std::cell::Cell;

use backoff_core::{Preview, PreviewRow};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::with_buffers;
use crate::policy::ask;

thread_local! {
    static PREVIEW: Cell<Option<Preview>> = const { Cell::new(None) };
}

/// Begins the preview of the policy in use.
#[wasm_bindgen]
pub fn preview_begin() {
    keep(ask(|policy| Some(policy.preview())));
}

/// Leaves its next row in the words, in nanoseconds, and says whether there was one.
#[wasm_bindgen]
#[must_use]
pub fn preview_next() -> bool {
    let Some(mut preview) = PREVIEW.try_with(Cell::take).ok().flatten() else { return false };
    let Some(row) = preview.next() else { return false };
    keep(Some(preview));
    let PreviewRow { smallest, mean, largest, total_smallest, total_mean, total_largest } = row;
    let words = [smallest, mean, largest, total_smallest, total_mean, total_largest];
    with_buffers(|buffers| buffers.write_words(0, &words));
    true
}

fn keep(preview: Option<Preview>) {
    PREVIEW.try_with(|slot| slot.set(preview)).unwrap_or_default();
}
