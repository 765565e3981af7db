//! The two buffers that JavaScript shares: words for numbers, bytes for text and keys.

use std::cell::RefCell;
use std::thread::LocalKey;

use wasm_bindgen::prelude::wasm_bindgen;

/// As many delays as one call can give. JavaScript asks again for the rest.
pub(crate) const WORDS: usize = 512;

/// The longest key in bytes.
const BYTES: usize = 65_536;

thread_local! {
    static WORDS_BUFFER: RefCell<[u64; WORDS]> = const { RefCell::new([0; WORDS]) };
    static BYTES_BUFFER: RefCell<[u8; BYTES]> = const { RefCell::new([0; BYTES]) };
}

/// The address of the words: little-endian, like all of this memory.
#[wasm_bindgen]
#[must_use]
pub fn words() -> usize {
    with_words(|words| words.as_mut_ptr().addr())
}

/// The address of the bytes.
#[wasm_bindgen]
#[must_use]
pub fn bytes() -> usize {
    with_bytes(|bytes| bytes.as_mut_ptr().addr())
}

/// How many bytes there are.
#[wasm_bindgen]
#[must_use]
pub fn bytes_capacity() -> usize {
    BYTES
}

/// Works on the words. Nothing else holds them, so they are always there.
pub(crate) fn with_words<T: Default>(work: impl FnOnce(&mut [u64; WORDS]) -> T) -> T {
    hold(&WORDS_BUFFER, work)
}

/// Works on the bytes, as [`with_words`].
pub(crate) fn with_bytes<T: Default>(work: impl FnOnce(&mut [u8; BYTES]) -> T) -> T {
    hold(&BYTES_BUFFER, work)
}

/// The fallible calls, because those that panic would bring the machinery of panics along.
fn hold<B, T: Default>(buffer: &'static LocalKey<RefCell<B>>, work: impl FnOnce(&mut B) -> T) -> T {
    buffer
        .try_with(|buffer| buffer.try_borrow_mut().map(|mut buffer| work(&mut buffer)))
        .ok()
        .and_then(Result::ok)
        .unwrap_or_default()
}

/// Leaves a text in the bytes from `start` on and returns where it ends.
pub(crate) fn write_text(start: usize, text: &str) -> usize {
    with_bytes(|bytes| {
        let mut end = start;
        for (slot, &byte) in bytes.iter_mut().skip(start).zip(text.as_bytes()) {
            *slot = byte;
            end = end.saturating_add(1);
        }
        end
    })
}
