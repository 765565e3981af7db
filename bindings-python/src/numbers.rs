//! What Python calls a number, as the word that the core takes.
//!
//! Every number is taken for exactly what it is: `as_integer_ratio` gives two ints, and only
//! ints are rounded.

use std::cmp::Ordering;

use backoff_core::Ratio;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyBool, PyDelta, PyDeltaAccess, PyDict, PyFloat, PyInt, PyList, PyTuple, PyType,
};

use crate::refusal;

/// The word of a field, or one that stands for a value that no word can hold: the core
/// refuses it by the same rule and with the same limit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    Exact(u64),
    StandIn(u64),
}

impl Word {
    pub(crate) fn number(self) -> u64 {
        match self {
            Self::Exact(word) | Self::StandIn(word) => word,
        }
    }
}

const BEYOND_64_BITS: Word = Word::StandIn(u64::MAX);
const BEYOND_32_BITS: Word = Word::StandIn(Ratio::word(u32::MAX, 1));

/// Seconds as nanoseconds, rounded to the nearest, ties to even.
pub(crate) fn duration(field: &str, given: &Bound<'_, PyAny>) -> PyResult<Word> {
    match given.cast::<PyDelta>() {
        Ok(delta) => nanoseconds(field, given, of_timedelta(delta)?),
        Err(_) => seconds(field, DURATION, given),
    }
}

/// The same of a number alone.
pub(crate) fn seconds(field: &str, expected: &str, given: &Bound<'_, PyAny>) -> PyResult<Word> {
    let terms = exact(field, given)?;
    let terms = terms.ok_or_else(|| refusal::wrong_type(field, expected, given))?;
    nanoseconds(field, given, terms)
}

fn nanoseconds<'py>(
    field: &str,
    given: &Bound<'py, PyAny>,
    (seconds, parts): Terms<'py>,
) -> PyResult<Word> {
    match seconds.compare(0)? {
        Ordering::Less => return Err(negative(field, given)),
        Ordering::Equal => return Ok(Word::Exact(0)),
        Ordering::Greater => {}
    }
    let division = seconds.mul(1_000_000_000)?.divmod(&parts)?;
    let (quotient, rest) = division.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
    let up = match rest.add(&rest)?.compare(&parts)? {
        Ordering::Less => false,
        Ordering::Equal => quotient.bitand(1)?.is_truthy()?,
        Ordering::Greater => true,
    };
    let ns = if up { quotient.add(1)? } else { quotient };
    if ns.eq(0)? {
        let why = "rounds to 0ns; the shortest duration but 0 is 1ns";
        return Err(refusal::by_binding("too_small", field, given, 1, why));
    }
    word(&ns)
}

const DURATION: &str = "seconds (int, float, Decimal or Fraction) or a timedelta";

/// A ratio with its terms as they are; a float is the shortest decimal that names it.
pub(crate) fn ratio(field: &str, given: &Bound<'_, PyAny>) -> PyResult<Word> {
    let wrong_type = || refusal::wrong_type(field, RATIO, given);
    let (n, d) = if let Ok(pair) = given.cast::<PyTuple>() {
        let (n, d) = pair.extract().map_err(|_| wrong_type())?;
        if !is_int(&n) || !is_int(&d) {
            return Err(wrong_type());
        }
        (n, d)
    } else {
        let named = match given.cast::<PyFloat>() {
            Ok(float) if float.value().is_finite() => {
                decimal(given.py(), &float.value().to_string())?
            }
            _ => given.clone(),
        };
        exact(field, &named)?.ok_or_else(wrong_type)?
    };
    if n.lt(0)? || d.lt(0)? {
        return Err(negative(field, given));
    }
    Ok(match (n.extract::<u32>(), d.extract::<u32>()) {
        (Ok(n), Ok(d)) => Word::Exact(Ratio::word(n, d)),
        _ => BEYOND_32_BITS,
    })
}

const RATIO: &str = "a float, int, Decimal, Fraction or a pair of ints";

/// A whole number.
pub(crate) fn count(field: &str, given: &Bound<'_, PyAny>) -> PyResult<Word> {
    let number = index(given)?.ok_or_else(|| refusal::wrong_type(field, "an int", given))?;
    if number.lt(0)? {
        return Err(negative(field, given));
    }
    word(&number)
}

/// The int that a value stands for, asked for once; none if it is no int.
pub(crate) fn index<'py>(given: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if is_bool(given) {
        return Ok(None);
    }
    if given.is_instance_of::<PyInt>() {
        return Ok(Some(given.clone()));
    }
    let Some(method) = given.getattr_opt("__index__")? else { return Ok(None) };
    match method.call0() {
        Ok(int) => Ok(Some(int).filter(PyAnyMethods::is_instance_of::<PyInt>)),
        Err(error) if error.is_instance_of::<PyTypeError>(given.py()) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The decimal that a text names, whatever the precision of the caller's context.
pub(crate) fn decimal<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    decimal_class(py)?.call1((text,))
}

fn decimal_class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    CLASS.import(py, "decimal", "Decimal")
}

type Terms<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// The two ints whose quotient a number is; none if it is no number.
fn exact<'py>(field: &str, given: &Bound<'py, PyAny>) -> PyResult<Option<Terms<'py>>> {
    let py = given.py();
    if is_bool(given) {
        return Ok(None);
    }
    let mut given_or_shorter = given.clone();
    // Only a Decimal has this method; to look for the class would import it for every float.
    if given.hasattr("adjusted")? && given.is_instance(decimal_class(py)?)? {
        if let Some(terms) = of_extreme_decimal(given)? {
            return Ok(Some(terms));
        }
        given_or_shorter = shortened(given)?;
    }
    let Some(method) = given_or_shorter.getattr_opt("as_integer_ratio")? else {
        let one = 1_u32.into_pyobject(py)?.into_any();
        return Ok(index(given)?.map(|int| (int, one)));
    };
    match method.call0() {
        Ok(terms) => terms.extract().map(Some),
        Err(error) if error.is_instance_of::<PyTypeError>(py) => Ok(None),
        Err(error)
            if error.is_instance_of::<PyValueError>(py)
                || error.is_instance_of::<PyOverflowError>(py) =>
        {
            Err(refusal::by_binding("not_finite", field, given, 0, "is not finite"))
        }
        Err(error) => Err(error),
    }
}

/// The exponent beyond which a decimal is extreme.
const FAR: i64 = 400;

/// A decimal such as 1E+999999999 would have a term of a billion digits. Beyond any limit
/// here only its sign and its side still matter.
fn of_extreme_decimal<'py>(given: &Bound<'py, PyAny>) -> PyResult<Option<Terms<'py>>> {
    let py = given.py();
    let exponent = given.call_method0("adjusted")?.extract::<i64>()?;
    if (-FAR..=FAR).contains(&exponent) {
        return Ok(None);
    }
    let int = |n: i64| n.into_pyobject(py).map(Bound::into_any);
    let sign = given.compare(0)? as i64;
    let far = int(10)?.pow(FAR, py.None())?;
    Ok(Some(if sign == 0 {
        (int(0)?, int(1)?)
    } else if exponent > 0 {
        (far.mul(sign)?, int(1)?)
    } else {
        (int(sign)?, far)
    }))
}

/// A decimal that is not extreme with at most so many digits that the time for its terms is
/// bounded. One with more digits lies as before between its neighbours: `ROUND_05UP` never
/// ends on a 0 or 5 that is not exact. So it rounds to the same nanosecond, is a tie only if
/// it was one, and as a ratio still has terms beyond 32 bits.
fn shortened<'py>(given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    static CONTEXT: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    // The digits before the point, and far more than 10 after it.
    const DIGITS: i64 = FAR + 100;
    let py = given.py();
    let settings = PyDict::new(py);
    settings.set_item("prec", DIGITS)?;
    settings.set_item("rounding", "ROUND_05UP")?;
    settings.set_item("Emin", -999_999)?;
    settings.set_item("Emax", 999_999)?;
    settings.set_item("traps", PyList::empty(py))?;
    let context = CONTEXT.import(py, "decimal", "Context")?.call((), Some(&settings))?;
    context.call_method1("plus", (given,))
}

fn of_timedelta<'py>(delta: &Bound<'py, PyDelta>) -> PyResult<Terms<'py>> {
    let (days, seconds) = (i128::from(delta.get_days()), i128::from(delta.get_seconds()));
    let us = i128::from(delta.get_microseconds());
    let seconds = days.saturating_mul(86_400).saturating_add(seconds);
    let us = seconds.saturating_mul(1_000_000).saturating_add(us);
    let py = delta.py();
    Ok((us.into_pyobject(py)?.into_any(), 1_000_000_u32.into_pyobject(py)?.into_any()))
}

fn word(number: &Bound<'_, PyAny>) -> PyResult<Word> {
    match number.extract() {
        Ok(word) => Ok(Word::Exact(word)),
        Err(error) if error.is_instance_of::<PyOverflowError>(number.py()) => Ok(BEYOND_64_BITS),
        Err(error) => Err(error),
    }
}

fn negative(field: &str, given: &Bound<'_, PyAny>) -> PyErr {
    refusal::by_binding("negative", field, given, 0, "is below 0")
}

fn is_int(given: &Bound<'_, PyAny>) -> bool {
    given.is_instance_of::<PyInt>() && !is_bool(given)
}

fn is_bool(given: &Bound<'_, PyAny>) -> bool {
    given.is_instance_of::<PyBool>()
}
