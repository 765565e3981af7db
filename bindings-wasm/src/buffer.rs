//! The two buffers that JavaScript shares: words for numbers, bytes for text and keys.

use std::cell::RefCell;

use wasm_bindgen::prelude::wasm_bindgen;

use crate::{BYTES, WORDS};

pub(crate) struct Buffers {
    pub(crate) words: [u64; WORDS],
    pub(crate) bytes: [u8; BYTES],
}

thread_local! {
    static BUFFERS: RefCell<Buffers> =
        const { RefCell::new(Buffers { words: [0; WORDS], bytes: [0; BYTES] }) };
}

/// The address of the words, which are little-endian.
#[wasm_bindgen]
pub fn words() -> usize {
    with_buffers(|buffers| buffers.words.as_mut_ptr().addr())
}

/// The address of the bytes.
#[wasm_bindgen]
pub fn bytes() -> usize {
    with_buffers(|buffers| buffers.bytes.as_mut_ptr().addr())
}

/// The number of the bytes.
#[wasm_bindgen]
pub fn bytes_capacity() -> usize {
    BYTES
}

/// Works on the buffers. They are never borrowed twice, so the default is never returned; a call
/// that could panic instead would link the panic machinery.
pub(crate) fn with_buffers<T: Default>(work: impl FnOnce(&mut Buffers) -> T) -> T {
    BUFFERS
        .try_with(|buffers| buffers.try_borrow_mut().map(|mut buffers| work(&mut buffers)))
        .ok()
        .and_then(Result::ok)
        .unwrap_or_default()
}

impl Buffers {
    /// The first `length` bytes.
    pub(crate) fn text(&self, length: usize) -> &[u8] {
        self.bytes.get(..length).unwrap_or_default()
    }

    /// The words from `offset` on.
    pub(crate) fn words_at<const COUNT: usize>(&self, offset: usize) -> &[u64; COUNT] {
        let words = self.words.get(offset..).and_then(|words| words.first_chunk());
        words.unwrap_or(&[0; COUNT])
    }

    /// Writes words from `offset` on; returns the offset of the end.
    pub(crate) fn write_words(&mut self, offset: usize, words: &[u64]) -> usize {
        for (slot, &word) in self.words.iter_mut().skip(offset).zip(words) {
            *slot = word;
        }
        offset.saturating_add(words.len())
    }
}
