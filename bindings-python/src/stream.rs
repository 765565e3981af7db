use backoff_core::ffi::KeyHasher;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyUnicodeEncodeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyInt, PyMemoryView, PySlice, PyString, PyType};

use crate::arguments::{Argument, Index, KeyNumber, Seed};
use crate::{errors, process};

/// The source of one caller's randomness: one 64-bit draw for each index (SPEC 2, 3).
///
/// RandomStream(seed) or RandomStream(seed, key): the stream of a seed, 0 to 2**64 - 1, and a
/// key: a str (its UTF-8), bytes-like, an int from 0 to 2**64 - 1 (its 8 little-endian bytes) or a
/// UUID (its str). Everyone with the same seed and no key waits the same:
/// give each client or job a key of its own. An empty key is a key, and None is a TypeError.
///
/// A value: frozen, hashable, comparable, picklable, safe to share between threads.
///
/// Raises PolicyError for a seed out of range and for a key with a lone surrogate, TypeError
/// for other types, including bool.
#[pyclass(frozen, eq, hash, weakref, module = "backoff_rs")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct RandomStream(pub(crate) backoff_core::RandomStream);

impl Argument for RandomStream {
    const ARGUMENT: &'static str = "stream";
}

#[pymethods]
impl RandomStream {
    #[new]
    #[pyo3(signature = (seed, key = Key::Omitted), text_signature = "(seed, key=...)")]
    fn new(seed: &Bound<'_, PyAny>, key: Key<'_>) -> PyResult<Self> {
        // Extracted here, because loops pass it on: PyO3 adds a note to the errors of arguments.
        let seed = seed.extract::<Seed>()?;
        let Key::Object(key) = key else {
            return Ok(Self(backoff_core::RandomStream::from_seed(seed.0)));
        };
        let mut hasher = KeyHasher::new(seed.0);
        hash(&mut hasher, &key)?;
        Ok(Self(hasher.stream()))
    }

    /// A stream of the operating system's randomness, which no one else has. It is a value, so
    /// a forked child has the same one; a Backoff without a stream draws a new one in the child.
    ///
    /// Raises OSError if the system has no randomness to give.
    #[staticmethod]
    fn from_entropy() -> PyResult<Self> {
        process::entropy().map(Self)
    }

    /// The state, a 64-bit int: RandomStream(state) is this stream again.
    #[getter]
    fn state(&self) -> u64 {
        self.0.state()
    }

    /// The draw of an index, 0 to 2**64 - 1: SplitMix64 in counter mode (SPEC 2.1).
    ///
    /// Raises PolicyError for an index outside 0 to 2**32 - 1.
    fn draw(&self, index: Index) -> u64 {
        self.0.draw(index.0)
    }

    fn __repr__(&self) -> String {
        format!("RandomStream({})", self.0.state())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (u64,)) {
        (py.get_type::<Self>(), (self.0.state(),))
    }
}

/// The argument `key`. `None` is not an omitted key: a job without an ID must not get the stream
/// that everyone without a key shares.
enum Key<'py> {
    Omitted,
    Object(Bound<'py, PyAny>),
}

impl<'py> FromPyObject<'_, 'py> for Key<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self::Object(object.to_owned()))
    }
}

/// Hashes a key in place, text as its UTF-8: memory may not hold a copy.
fn hash(hasher: &mut KeyHasher, key: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = key.py();
    if let Ok(text) = key.cast::<PyString>() {
        let text = text.to_str().map_err(|error| {
            if !error.is_instance_of::<PyUnicodeEncodeError>(py) {
                return error;
            }
            let why = "has a lone surrogate, which has no UTF-8";
            errors::invalid("not_unicode", "key", key, 0, why)
        })?;
        hasher.update(text);
    } else if let Ok(bytes) = key.cast::<PyBytes>() {
        hasher.update(bytes.as_bytes());
    } else if key.is_instance_of::<PyInt>() && !key.is_instance_of::<PyBool>() {
        hasher.update(key.extract::<KeyNumber>()?.0.to_le_bytes());
    } else if is_uuid(key)? {
        hasher.update(key.str()?.to_str()?);
    } else {
        const EXPECTED: &str = "a str, bytes-like, an int or a UUID";
        let buffer = PyBuffer::get(key)
            .map_err(|error| errors::wrong_buffer(error, "key", EXPECTED, key))?;
        hash_buffer(hasher, &buffer, key)?;
    }
    Ok(())
}

/// Whether a key is a UUID. Whoever has one has imported its module.
fn is_uuid(key: &Bound<'_, PyAny>) -> PyResult<bool> {
    if !key.get_type().hasattr("time_hi_version")? {
        return Ok(false);
    }
    key.is_instance(errors::class!(key.py(), "uuid", "UUID")?)
}

/// Hashes a buffer in chunks: another thread may write to it, so no reference into it is safe.
fn hash_buffer(
    hasher: &mut KeyHasher,
    buffer: &PyBuffer<u8>,
    key: &Bound<'_, PyAny>,
) -> PyResult<()> {
    const CHUNK: usize = 4096;
    let py = key.py();
    let mut chunk = [0; CHUNK];
    let length = buffer.item_count();
    if let Some(all) = chunk.get_mut(..length) {
        buffer.copy_to_slice(py, all)?;
        hasher.update(all);
        return Ok(());
    }
    let view = PyMemoryView::from(key)?;
    if !buffer.is_c_contiguous() {
        hasher.update(view.call_method0("tobytes")?.cast::<PyBytes>()?.as_bytes());
        return Ok(());
    }
    let view = view.call_method1("cast", ("B",))?;
    for start in (0..length).step_by(CHUNK) {
        let end = start.saturating_add(CHUNK).min(length);
        let part = PySlice::new(py, start.cast_signed(), end.cast_signed(), 1);
        let part = PyBuffer::<u8>::get(&view.get_item(part)?)?;
        if let Some(bytes) = chunk.get_mut(..part.item_count()) {
            part.copy_to_slice(py, bytes)?;
            hasher.update(bytes);
        }
    }
    Ok(())
}
