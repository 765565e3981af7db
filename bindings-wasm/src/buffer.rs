//! The memory that JavaScript shares: words for numbers, bytes for text and keys, the current policy and operation.

use std::cell::RefCell;

use backoff_core::Policy;
use backoff_core::ffi::{DEFAULT_POLICY, KeyHasher, Progress};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::{BYTES, WORDS};

pub(crate) struct Buffers {
    pub(crate) words: [u64; WORDS],
    pub(crate) bytes: [u8; BYTES],
    /// JavaScript keeps policies and operations as the bytes that are here while they are current. Both are plain
    /// numbers, and what it puts back it has read here.
    pub(crate) policy: Policy,
    pub(crate) operation: Option<Progress>,
    /// The key of which JavaScript passes the parts.
    pub(crate) key: KeyHasher,
}

thread_local! {
    static BUFFERS: RefCell<Buffers> = const {
        RefCell::new(Buffers {
            words: [0; WORDS],
            bytes: [0; BYTES],
            policy: DEFAULT_POLICY,
            operation: None,
            key: KeyHasher::new(0),
        })
    };
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

/// The address of the current policy.
#[wasm_bindgen]
pub fn policy() -> usize {
    with_buffers(|buffers| (&raw const buffers.policy).addr())
}

/// The number of bytes of a policy.
#[wasm_bindgen]
pub fn policy_size() -> usize {
    size_of::<Policy>()
}

/// The address of the current operation.
#[wasm_bindgen]
pub fn operation() -> usize {
    with_buffers(|buffers| (&raw const buffers.operation).addr())
}

/// The number of bytes of an operation.
#[wasm_bindgen]
pub fn operation_size() -> usize {
    size_of::<Option<Progress>>()
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
