//! The whole numbers and keys that methods take, refused by name.

use backoff_core::KeyHasher;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyUnicodeEncodeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView, PySlice, PyString};

use crate::{numbers, refusal};

/// An index, 0 to 2^32 - 1.
#[derive(Clone, Copy)]
pub(crate) struct Index(pub(crate) u32);
/// The first index of a batch, 0 to 2^32 - 1.
#[derive(Clone, Copy)]
pub(crate) struct First(pub(crate) u32);
/// A number of delays.
#[derive(Clone, Copy)]
pub(crate) struct Count(pub(crate) u64);
/// A seed, any 64-bit word.
#[derive(Clone, Copy)]
pub(crate) struct Seed(pub(crate) u64);
/// A key. `None` is not one that was left out: a job without an id must not get the stream that
/// everyone has.
pub(crate) enum Key<'py> {
    LeftOut,
    Given(Bound<'py, PyAny>),
}

impl FromPyObject<'_, '_> for Index {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        whole("index", &given).map(Self)
    }
}

impl FromPyObject<'_, '_> for First {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        whole("first", &given).map(Self)
    }
}

impl FromPyObject<'_, '_> for Count {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        whole("count", &given).map(Self)
    }
}

impl FromPyObject<'_, '_> for Seed {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        whole("seed", &given).map(Self)
    }
}

impl<'py> FromPyObject<'_, 'py> for Key<'py> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self::Given(given.to_owned()))
    }
}

/// Hashes a key where it lies, text as its UTF-8: a copy might be more than memory holds.
pub(crate) fn hash(hasher: &mut KeyHasher, key: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = key.py();
    if let Ok(text) = key.cast::<PyString>() {
        let text = text.to_str().map_err(|error| {
            if !error.is_instance_of::<PyUnicodeEncodeError>(py) {
                return error;
            }
            let why = "has a lone surrogate, which has no UTF-8";
            refusal::by_binding("not_unicode", "key", key, 0, why)
        })?;
        hasher.update(text);
    } else if let Ok(bytes) = key.cast::<PyBytes>() {
        hasher.update(bytes.as_bytes());
    } else {
        let buffer = PyBuffer::get(key)
            .map_err(|error| refusal::no_buffer(error, "key", "a str or bytes-like", key))?;
        hash_buffer(hasher, &buffer, key)?;
    }
    Ok(())
}

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

/// A type of whole numbers and the largest of them.
trait Whole: TryFrom<u64> {
    const MOST: u64;
}

impl Whole for u32 {
    const MOST: u64 = u32::MAX as u64;
}

impl Whole for u64 {
    const MOST: u64 = u64::MAX;
}

fn whole<T: Whole>(name: &str, given: &Bound<'_, PyAny>) -> PyResult<T> {
    let int = numbers::index(given)?.ok_or_else(|| refusal::wrong_type(name, "an int", given))?;
    if let Some(number) = int.extract::<u64>().ok().and_then(|number| T::try_from(number).ok()) {
        return Ok(number);
    }
    if int.lt(0)? {
        return Err(refusal::by_binding("negative", name, given, 0, "is below 0"));
    }
    let why = format!("is above {}", T::MOST);
    Err(refusal::by_binding("too_large", name, given, T::MOST, &why))
}
