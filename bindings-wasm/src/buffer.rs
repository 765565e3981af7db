//! The buffers that JavaScript shares: words for numbers, bytes for text and keys.

use std::cell::RefCell;

use wasm_bindgen::prelude::wasm_bindgen;

/// As many delays as one call can give. JavaScript asks again for the rest.
pub(crate) const WORDS: usize = 512;

/// As many bytes of a key as one call can take. JavaScript hands over the rest in others.
/// Every text that is read at once, and every one that is given, is shorter.
const BYTES: usize = 4096;

pub(crate) struct Buffers {
    pub(crate) words: [u64; WORDS],
    pub(crate) bytes: [u8; BYTES],
}

thread_local! {
    static BUFFERS: RefCell<Buffers> =
        const { RefCell::new(Buffers { words: [0; WORDS], bytes: [0; BYTES] }) };
}

/// The address of the words: little-endian, like all of this memory.
#[wasm_bindgen]
#[must_use]
pub fn words() -> usize {
    with_buffers(|buffers| buffers.words.as_mut_ptr().addr())
}

/// The address of the bytes.
#[wasm_bindgen]
#[must_use]
pub fn bytes() -> usize {
    with_buffers(|buffers| buffers.bytes.as_mut_ptr().addr())
}

/// How many bytes there are.
#[wasm_bindgen]
#[must_use]
pub fn bytes_capacity() -> usize {
    BYTES
}

/// Works on the buffers. Nothing else holds them, so they are always there; but calls that
/// panic if they are not would bring the machinery of panics along.
pub(crate) fn with_buffers<T: Default>(work: impl FnOnce(&mut Buffers) -> T) -> T {
    BUFFERS
        .try_with(|buffers| buffers.try_borrow_mut().map(|mut buffers| work(&mut buffers)))
        .ok()
        .and_then(Result::ok)
        .unwrap_or_default()
}

impl Buffers {
    /// The first bytes, so many of them.
    pub(crate) fn text(&self, length: usize) -> &[u8] {
        self.bytes.get(..length).unwrap_or_default()
    }

    /// The words from a place on.
    pub(crate) fn words_at<const COUNT: usize>(&self, place: usize) -> &[u64; COUNT] {
        let words = self.words.get(place..).and_then(|words| words.first_chunk());
        words.unwrap_or(&[0; COUNT])
    }

    /// Leaves words from a place on.
    pub(crate) fn write_words(&mut self, place: usize, words: &[u64]) {
        for (slot, &word) in self.words.iter_mut().skip(place).zip(words) {
            *slot = word;
        }
    }

    /// Leaves a text in the bytes from `start` on and returns where it ends.
    pub(crate) fn write_text(&mut self, start: usize, text: impl AsRef<[u8]>) -> usize {
        let mut end = start;
        for (slot, &byte) in self.bytes.iter_mut().skip(start).zip(text.as_ref()) {
            *slot = byte;
            end = end.saturating_add(1);
        }
        end
    }
}
