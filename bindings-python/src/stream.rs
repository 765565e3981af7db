use backoff_core::KeyHasher;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::arguments::{self, Index, Key, Seed};

/// The random words that delays are drawn from, one for each index (SPEC 2, 3).
///
/// Stream(seed) or Stream(seed, key): the stream of a seed, 0 to 2**64 - 1, and a key, a str
/// (its UTF-8) or bytes-like. Everyone with the same seed and no key waits the same: give each
/// client or job a key of its own. An empty key is a key, and None is a TypeError.
///
/// A value: frozen, hashable, comparable, picklable, safe to share between threads.
///
/// Raises PolicyError for a seed out of range and for a key with a lone surrogate, TypeError
/// for other types; a bool is no seed.
#[pyclass(frozen, eq, hash, module = "backoff_rs")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Stream(pub(crate) backoff_core::Stream);

#[pymethods]
impl Stream {
    #[new]
    #[pyo3(signature = (seed, key = Key::LeftOut), text_signature = "(seed, key=...)")]
    fn new(seed: Seed, key: Key<'_>) -> PyResult<Self> {
        let Key::Given(key) = key else { return Ok(Self(backoff_core::Stream::from_seed(seed.0))) };
        let mut hasher = KeyHasher::new(seed.0);
        arguments::hash(&mut hasher, &key)?;
        Ok(Self(hasher.stream()))
    }

    /// A stream that nobody else has, from the operating system. As a value it is the same in
    /// a forked child; a Backoff that is given no stream draws its own again there.
    ///
    /// Raises OSError if the system has no randomness to give.
    #[staticmethod]
    fn from_entropy() -> PyResult<Self> {
        entropy().map(Self)
    }

    /// The state, an int of 64 bits: Stream(state) is this stream again.
    #[getter]
    fn state(&self) -> u64 {
        self.0.state()
    }

    /// The random word of an index, 0 to 2**64 - 1: SplitMix64, counted (SPEC 2.1).
    ///
    /// Raises PolicyError for an index outside 0 to 2**32 - 1.
    fn draw(&self, index: Index) -> u64 {
        self.0.draw(index.0)
    }

    fn __repr__(&self) -> String {
        format!("Stream({})", self.0.state())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (u64,)) {
        (py.get_type::<Self>(), (self.0.state(),))
    }
}

pub(crate) fn entropy() -> PyResult<backoff_core::Stream> {
    backoff_core::Stream::from_entropy().map_err(|error| {
        PyOSError::new_err(format!("the operating system has no randomness to give: {error}"))
    })
}
