//! The whole numbers and keys that methods take, refused by name.

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};

use crate::refusal;

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
/// The bytes of a key: text is its UTF-8.
pub(crate) struct Key(pub(crate) Vec<u8>);

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

impl FromPyObject<'_, '_> for Key {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = given.cast::<PyString>() {
            return text.to_cow().map(|text| Self(text.as_bytes().to_vec())).map_err(|_| {
                let why = "has a lone surrogate, which has no UTF-8";
                refusal::by_binding("not_unicode", "key", &given, 0, why)
            });
        }
        match PyBuffer::<u8>::get(&given) {
            Ok(bytes) => bytes.to_vec(given.py()).map(Self),
            Err(_) => Err(refusal::wrong_type("key", "a str or bytes-like", &given)),
        }
    }
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
    let number = given.extract::<u64>();
    if let Some(number) = number.as_ref().ok().and_then(|&number| T::try_from(number).ok())
        && !given.is_instance_of::<PyBool>()
    {
        return Ok(number);
    }
    let is_int = !given.is_instance_of::<PyBool>() && given.hasattr("__index__")?;
    if !is_int {
        return Err(refusal::wrong_type(name, "an int", given));
    }
    if given.call_method0("__index__")?.lt(0)? {
        return Err(refusal::by_binding("negative", name, given, 0, "is below 0"));
    }
    let why = format!("is above {}", T::MOST);
    Err(refusal::by_binding("too_large", name, given, T::MOST, &why))
}
