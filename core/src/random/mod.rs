//! Streams of random numbers, selected by a seed and a key.

pub(crate) mod siphash;
pub(crate) mod stream;
