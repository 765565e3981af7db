//! What methods take, refused by name.

use std::borrow::Cow;

use backoff_core::{KeyHasher, MAX_NS, StopReason};
use pyo3::PyClass;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyUnicodeEncodeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView, PySlice, PyString, PyType};

use crate::{names, numbers, refusal};

/// An object of a class of ours.
pub(crate) struct Given<'a, 'py, T>(pub(crate) Borrowed<'a, 'py, T>);

impl<T> Clone for Given<'_, '_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Given<'_, '_, T> {}

/// A class whose objects are arguments, all of the same name.
pub(crate) trait Argument: PyClass {
    const ARGUMENT: &'static str;
}

macro_rules! classes {
    ($($class:ty = $argument:literal;)*) => {$(
        impl Argument for $class {
            const ARGUMENT: &'static str = $argument;
        }
    )*};
}

classes! {
    crate::policy::Policy = "policy";
    crate::stream::Stream = "stream";
    crate::budget::Budget = "budget";
    crate::history::History = "other";
}

impl<'a, 'py, T: Argument> FromPyObject<'a, 'py> for Given<'a, 'py, T> {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        given
            .cast()
            .map(Self)
            .map_err(|_| refusal::wrong_type(T::ARGUMENT, &format!("a {}", T::NAME), &given))
    }
}

/// Types of whole numbers, refused by the names that their arguments have.
macro_rules! whole_numbers {
    ($($(#[$doc:meta])* $type:ident($word:ty) = $name:literal, $most:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $type(pub(crate) $word);

        impl FromPyObject<'_, '_> for $type {
            type Error = PyErr;

            fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
                whole($name, &given, $most.into()).map(Self)
            }
        }
    )*};
}

whole_numbers! {
    /// An index, 0 to 2^32 - 1.
    Index(u32) = "index", u32::MAX;
    /// The first index of a batch, 0 to 2^32 - 1.
    First(u32) = "first", u32::MAX;
    /// A number of delays or rows.
    Count(u64) = "count", u64::MAX;
    /// A seed, any 64-bit word.
    Seed(u64) = "seed", u64::MAX;
    /// A reading of the caller's clock.
    Now(u64) = "now_ns", u64::MAX;
    /// A time of the same clock.
    Deadline(u64) = "deadline_ns", u64::MAX;
    /// The status of an HTTP response.
    Status(u16) = "status", u16::MAX;
    /// How many attempts an operation made.
    Attempts(u64) = "attempts", u64::MAX;
    /// The delay of a decision, a duration.
    Delay(u64) = "delay_ns", MAX_NS;
    /// The durations of a row of a preview.
    Smallest(u64) = "smallest_ns", MAX_NS;
    Mean(u64) = "mean_ns", MAX_NS;
    Largest(u64) = "largest_ns", MAX_NS;
    TotalSmallest(u64) = "total_smallest_ns", MAX_NS;
    TotalMean(u64) = "total_mean_ns", MAX_NS;
    TotalLargest(u64) = "total_largest_ns", MAX_NS;
}

/// A key. `None` is not one that was left out: a job without an id must not get the stream that
/// everyone has.
pub(crate) enum Key<'py> {
    LeftOut,
    Given(Bound<'py, PyAny>),
}

impl<'py> FromPyObject<'_, 'py> for Key<'py> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self::Given(given.to_owned()))
    }
}

/// A hint of a server; the core knows the longest that counts.
#[derive(Clone, Copy)]
pub(crate) struct Hint(pub(crate) u64);

impl FromPyObject<'_, '_> for Hint {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        numbers::duration("hint", &given).map(|word| Self(word.number()))
    }
}

/// How an attempt ended, by its name; a `StrEnum` is a `str`.
#[derive(Clone, Copy)]
pub(crate) struct Outcome(pub(crate) backoff_core::Outcome);
/// Why an operation stopped, by its name.
#[derive(Clone, Copy)]
pub(crate) struct Reason(pub(crate) StopReason);

impl FromPyObject<'_, '_> for Outcome {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        const EXPECTED: &str = "an Outcome or its name";
        let (all, name) = (&backoff_core::Outcome::ALL, backoff_core::Outcome::name);
        named("outcome", EXPECTED, &given, names::stop_reason, all, name).map(Self)
    }
}

impl FromPyObject<'_, '_> for Reason {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        const EXPECTED: &str = "a StopReason or its name";
        named("reason", EXPECTED, &given, names::outcome, &StopReason::ALL, StopReason::name)
            .map(Self)
    }
}

/// The one of these that has the name. Some outcomes and reasons have the same: a member of the
/// other enum is a mistake.
fn named<T: Copy>(
    argument: &str,
    expected: &str,
    given: &Bound<'_, PyAny>,
    other: fn(Python<'_>) -> PyResult<&Bound<'_, PyType>>,
    all: &[T],
    name: fn(T) -> &'static str,
) -> PyResult<T> {
    let wrong_type = || refusal::wrong_type(argument, expected, given);
    let text = given.cast::<PyString>().map_err(|_| wrong_type())?;
    if !text.is_exact_instance_of::<PyString>() && text.is_instance(other(given.py())?)? {
        return Err(wrong_type());
    }
    let text = text.to_string_lossy();
    all.iter().copied().find(|&one| name(one) == text).ok_or_else(|| {
        let names = all.iter().map(|&one| name(one)).collect::<Vec<_>>().join(", ");
        let why = format!("is unknown; the {argument}s are {names}");
        refusal::by_binding(&format!("unknown_{argument}"), argument, given, 0, &why)
    })
}

/// The UTF-8 of a text. A lone surrogate, which has none, becomes three bytes that are no
/// ASCII: they are refused where they stand, as any other character that has no meaning there.
pub(crate) fn utf8<'a>(
    argument: &str,
    expected: &str,
    given: &'a Bound<'_, PyAny>,
) -> PyResult<Cow<'a, [u8]>> {
    let text =
        given.cast::<PyString>().map_err(|_| refusal::wrong_type(argument, expected, given))?;
    match text.to_str() {
        Ok(text) => Ok(Cow::Borrowed(text.as_bytes())),
        Err(error) if error.is_instance_of::<PyUnicodeEncodeError>(given.py()) => {
            let bytes = text.call_method1("encode", ("utf-8", SURROGATES))?;
            Ok(Cow::Owned(bytes.cast::<PyBytes>()?.as_bytes().to_vec()))
        }
        Err(error) => Err(error),
    }
}

/// How Python calls that form of UTF-8.
pub(crate) const SURROGATES: &str = "surrogatepass";

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

fn whole<T: TryFrom<u64>>(name: &str, given: &Bound<'_, PyAny>, most: u64) -> PyResult<T> {
    let int = numbers::index(given)?.ok_or_else(|| refusal::wrong_type(name, "an int", given))?;
    let number = int.extract::<u64>().ok().filter(|&number| number <= most);
    if let Some(number) = number.and_then(|number| T::try_from(number).ok()) {
        return Ok(number);
    }
    if int.lt(0)? {
        return Err(refusal::by_binding("negative", name, given, 0, "is below 0"));
    }
    let why = format!("is above {most}");
    Err(refusal::by_binding("too_large", name, given, most, &why))
}
