//! Streams. JavaScript keeps their state, which is one word.

use std::cell::Cell;

use backoff_core::RandomStream;
use backoff_core::ffi::KeyHasher;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::buffer::with_buffers;

thread_local! {
    static KEY: Cell<KeyHasher> = const { Cell::new(KeyHasher::new(0)) };
}

/// Begins a key under a seed. JavaScript passes the key in parts that fit into the bytes.
#[wasm_bindgen]
pub fn key_begin(seed: u64) {
    KEY.try_with(|key| key.set(KeyHasher::new(seed))).unwrap_or_default();
}

/// Appends the first `length` bytes to the key.
#[wasm_bindgen]
pub fn key_update(length: usize) {
    with_buffers(|buffers| {
        KEY.try_with(|key| {
            let mut hasher = key.get();
            hasher.update(buffers.text(length));
            key.set(hasher);
        })
        .unwrap_or_default();
    });
}

/// The stream of the key.
#[wasm_bindgen]
pub fn key_stream() -> u64 {
    KEY.try_with(|key| key.get().stream().state()).unwrap_or_default()
}

/// The draw of an index.
#[wasm_bindgen]
pub fn draw(stream: u64, index: u32) -> u64 {
    RandomStream::from_seed(stream).draw(index)
}
