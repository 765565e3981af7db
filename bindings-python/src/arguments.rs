//! Arguments of methods: each type converts one argument, and its errors have the argument's name.

use std::borrow::Cow;

use backoff_core::{MAX_NS, ParseError};
use pyo3::PyClass;
use pyo3::exceptions::PyUnicodeEncodeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::numbers;
use crate::{duration, errors};

/// A class of this extension whose instances are arguments, always under the same name.
pub(crate) trait Argument: PyClass {
    const ARGUMENT: &'static str;
}

/// An instance of such a class.
pub(crate) struct Instance<'a, 'py, T>(pub(crate) Borrowed<'a, 'py, T>);

impl<T> Clone for Instance<'_, '_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Instance<'_, '_, T> {}

impl<'a, 'py, T: Argument> FromPyObject<'a, 'py> for Instance<'a, 'py, T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        object
            .cast()
            .map(Self)
            .map_err(|_| errors::wrong_type(T::ARGUMENT, &format!("a {}", T::NAME), &object))
    }
}

macro_rules! whole_numbers {
    ($($(#[$doc:meta])* $type:ident($number:ty) = $name:literal, $max:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $type(pub(crate) $number);

        impl FromPyObject<'_, '_> for $type {
            type Error = PyErr;

            fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
                whole($name, &object, $max.into()).map(Self)
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
    /// A seed, any 64-bit number.
    Seed(u64) = "seed", u64::MAX;
    /// A key that is a number.
    KeyNumber(u64) = "key", u64::MAX;
    /// A reading of the caller's clock.
    Now(u64) = "now_ns", u64::MAX;
    /// A time of the same clock.
    Deadline(u64) = "deadline_ns", u64::MAX;
    /// A reading of the clock that a loop was passed.
    Clock(u64) = "clock_ns", u64::MAX;
    /// How far a fake clock advances.
    Time(u64) = "time_ns", u64::MAX;
    /// The status of an HTTP response.
    Status(u16) = "status", u16::MAX;
    /// The attempts of an operation.
    Attempts(u64) = "attempts", u64::MAX;
    /// The retries of an operation.
    Retries(u64) = "retries", u64::MAX;
    /// The time at which an operation began.
    Began(u64) = "began_ns", u64::MAX;
    /// What an operation holds of a budget.
    Held(u64) = "held", u64::MAX;
    /// The delay of a decision.
    Delay(u64) = "delay_ns", MAX_NS;
    /// The durations of a row of a preview.
    Min(u64) = "min_ns", MAX_NS;
    Mean(u64) = "mean_ns", MAX_NS;
    Max(u64) = "max_ns", MAX_NS;
    TotalMin(u64) = "total_min_ns", MAX_NS;
    TotalMean(u64) = "total_mean_ns", MAX_NS;
    TotalMax(u64) = "total_max_ns", MAX_NS;
}

fn whole<T: TryFrom<u64>>(name: &str, object: &Bound<'_, PyAny>, max: u64) -> PyResult<T> {
    let int = numbers::index(object)?.ok_or_else(|| errors::wrong_type(name, "an int", object))?;
    let number = int.extract::<u64>().ok().filter(|&number| number <= max);
    if let Some(number) = number.and_then(|number| T::try_from(number).ok()) {
        return Ok(number);
    }
    if int.lt(0)? {
        return Err(numbers::negative(name, object));
    }
    Err(errors::invalid("too_large", name, object, max, &format!("is above {max}")))
}

/// How long a server asked to wait.
#[derive(Clone, Copy)]
pub(crate) struct RetryAfter(pub(crate) u64);

impl RetryAfter {
    /// The nanoseconds of a duration; `None` if it is negative.
    pub(crate) fn unless_negative(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        match duration::nanoseconds("retry_after", object) {
            // Beyond 64 bits it is the longest there is: the policy bounds it.
            Ok(value) => Ok(Some(Self(value.number()))),
            Err(error) if errors::has_code(object.py(), &error, "negative") => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl FromPyObject<'_, '_> for RetryAfter {
    type Error = PyErr;

    /// A negative one is 0, as for a date in the past.
    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        Ok(Self::unless_negative(&object)?.unwrap_or(Self(0)))
    }
}

/// A delay of the caller.
#[derive(Clone, Copy)]
pub(crate) struct OwnDelay(pub(crate) u64);

impl FromPyObject<'_, '_> for OwnDelay {
    type Error = PyErr;

    /// Beyond 64 bits it is the longest there is: the core bounds it.
    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        duration::nanoseconds("delay", &object).map(|value| Self(value.number()))
    }
}

/// The UTF-8 of a text. A lone surrogate, which has none, becomes three bytes that are not
/// ASCII: the core rejects them where they stand, like any other unexpected character.
pub(crate) fn utf8<'a>(
    argument: &str,
    expected: &str,
    object: &'a Bound<'_, PyAny>,
) -> PyResult<Cow<'a, [u8]>> {
    let text =
        object.cast::<PyString>().map_err(|_| errors::wrong_type(argument, expected, object))?;
    match text.to_str() {
        Ok(text) => Ok(Cow::Borrowed(text.as_bytes())),
        Err(error) if error.is_instance_of::<PyUnicodeEncodeError>(object.py()) => {
            let bytes = text.call_method1("encode", ("utf-8", errors::SURROGATES))?;
            Ok(Cow::Owned(bytes.cast::<PyBytes>()?.as_bytes().to_vec()))
        }
        Err(error) => Err(error),
    }
}

/// What the core reads in the text of the caller.
pub(crate) fn parsed<T>(
    text: &Bound<'_, PyAny>,
    parse: impl FnOnce(&[u8]) -> Result<T, ParseError>,
) -> PyResult<T> {
    let utf8 = utf8("text", "a str", text)?;
    parse(&utf8).map_err(|error| errors::parse_error(text.py(), &error, &utf8))
}
