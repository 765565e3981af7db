//! The buffers that JavaScript shares: words for numbers, bytes for text and keys.

use std::cell::RefCell;

use wasm_bindgen::prelude::wasm_bindgen;

/// As many delays as one call can give. JavaScript asks again for the rest.
pub(crate) const WORDS: usize = 512;

/// As many bytes of a key as one call can take. JavaScript hands over the rest in others.
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
