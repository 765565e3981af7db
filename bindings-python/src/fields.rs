//! The arguments of `Policy(...)`: from Python's to the core's and back.

use backoff_core::{Field, Params, Policy, Ratio, Unit};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::numbers::{self, Word};
use crate::refusal;
use crate::seconds::seconds;

/// The policy of the arguments of a call: the growth may be positional.
pub(crate) fn policy(
    positional: &Bound<'_, PyTuple>,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<Policy> {
    let given = named(positional, keywords)?;
    let (mut params, mut stand_ins) = (Params::default(), Vec::new());
    for field in Field::ALL {
        if let Some(value) = given.get_item(field.name())? {
            let word = word(field, &value)?;
            params.set(field, word.number());
            if matches!(word, Word::StandIn(_)) {
                stand_ins.push((field, value));
            }
        }
    }
    params.build().map_err(|error| {
        match stand_ins.iter().find(|(field, _)| *field == error.field()) {
            Some((field, value)) => {
                refusal::by_core_about(&error, value, matches!(field.unit(), Unit::Kind(_)))
            }
            None => refusal::by_core(given.py(), &error),
        }
    })
}

/// The value that gives a field exactly this word when it is an argument: the shortest of
/// int, float and what holds it in full.
pub(crate) fn argument(py: Python<'_>, field: Field, word: u64) -> PyResult<Bound<'_, PyAny>> {
    match field.unit() {
        Unit::Kind(_) => Ok(PyString::new(py, kind_name(field, word)).into_any()),
        Unit::Duration => {
            let float = seconds(word).into_pyobject(py)?.into_any();
            let (whole, rest) = (word.div_euclid(SECOND), word.rem_euclid(SECOND));
            if rest == 0 {
                Ok(whole.into_pyobject(py)?.into_any())
            } else if numbers::duration(field.name(), &float)? == Word::Exact(word) {
                Ok(float)
            } else {
                numbers::decimal(py, &format!("{whole}.{rest:09}"))
            }
        }
        Unit::Ratio => {
            let ratio = Ratio::from_word(word);
            let (n, d) = (ratio.numerator(), ratio.denominator());
            let float = f64::from(n) / f64::from(d);
            if d == 1 {
                Ok(n.into_pyobject(py)?.into_any())
            } else if Ratio::parse(&float.to_string()) == Ok(ratio) {
                Ok(float.into_pyobject(py)?.into_any())
            } else {
                Ok((n, d).into_pyobject(py)?.into_any())
            }
        }
        _ => Ok(word.into_pyobject(py)?.into_any()),
    }
}

/// The name of a kind by its number.
pub(crate) fn kind_name(field: Field, number: u64) -> &'static str {
    let Unit::Kind(names) = field.unit() else { return "" };
    let position = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    position.and_then(|position| names.get(position)).copied().unwrap_or_default()
}

const SECOND: u64 = 1_000_000_000;

/// All arguments by name, every name a field.
fn named<'py>(
    positional: &Bound<'py, PyTuple>,
    keywords: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let given = match keywords {
        Some(keywords) => keywords.copy()?,
        None => PyDict::new(positional.py()),
    };
    for name in given.keys() {
        if Field::from_name(&name.cast::<PyString>()?.to_string_lossy()).is_none() {
            let fields = Field::ALL.map(Field::name).join(", ");
            return Err(PyTypeError::new_err(format!(
                "Policy() has no field {}; the fields are {fields}",
                name.repr()?
            )));
        }
    }
    if positional.len() > 1 {
        return Err(PyTypeError::new_err(format!(
            "Policy() takes only the growth by position, and was given {} arguments",
            positional.len()
        )));
    }
    if let Some(growth) = positional.iter().next() {
        let name = Field::Growth.name();
        if given.contains(name)? {
            return Err(PyTypeError::new_err("Policy() was given growth twice"));
        }
        given.set_item(name, growth)?;
    }
    Ok(given)
}

fn word(field: Field, value: &Bound<'_, PyAny>) -> PyResult<Word> {
    match field.unit() {
        Unit::Kind(_) => {
            let name = value
                .cast::<PyString>()
                .map_err(|_| refusal::wrong_type(field.name(), "a str", value))?;
            Ok(match field.kind_number(&name.to_string_lossy()) {
                0 => Word::StandIn(0),
                number => Word::Exact(number),
            })
        }
        Unit::Duration => numbers::duration(field.name(), value),
        Unit::Ratio => numbers::ratio(field.name(), value),
        _ => numbers::count(field.name(), value),
    }
}
