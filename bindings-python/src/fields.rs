//! The arguments of `Policy(...)` and of its fitting: from Python's to the core's.

use backoff_core::{Field, Params, Policy, PolicyError, Unit};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::numbers::{self, Word};
use crate::refusal;

/// The policy of the arguments of a call: the growth may be positional.
pub(crate) fn policy(
    positional: &Bound<'_, PyTuple>,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<Policy> {
    let given = named(positional, keywords)?;
    let (mut params, mut stand_ins) = (Params::default(), StandIns::default());
    for field in Field::ALL {
        if let Some(value) = given.get_item(field.name())? {
            params.set(field, stand_ins.number(field, &value)?);
        }
    }
    params.build().map_err(|error| stand_ins.refused(given.py(), &error))
}

/// The policy that a fit gives, or why there is none.
pub(crate) fn fitted<'py>(
    attempts: &Bound<'py, PyAny>,
    total: &Bound<'py, PyAny>,
    fit: impl FnOnce(u64, u64) -> Result<Policy, PolicyError>,
) -> PyResult<Policy> {
    let mut stand_ins = StandIns::default();
    let attempts = stand_ins.number(Field::MaxAttempts, attempts)?;
    let total_ns = stand_ins.number(Field::MaxElapsed, total)?;
    fit(attempts, total_ns).map_err(|error| stand_ins.refused(total.py(), &error))
}

/// The values that the core is handed others in place of.
#[derive(Default)]
struct StandIns<'py>(Vec<(Field, Bound<'py, PyAny>)>);

impl<'py> StandIns<'py> {
    /// The number to hand to the core.
    fn number(&mut self, field: Field, value: &Bound<'py, PyAny>) -> PyResult<u64> {
        let word = word(field, value)?;
        if matches!(word, Word::StandIn(_)) {
            self.0.push((field, value.clone()));
        }
        Ok(word.number())
    }

    /// What the core refused, about what was given.
    fn refused(&self, py: Python<'_>, error: &PolicyError) -> PyErr {
        match self.0.iter().find(|(field, _)| *field == error.field()) {
            Some((field, value)) => {
                refusal::by_core_about(error, value, matches!(field.unit(), Unit::Kind(_)))
            }
            None => refusal::by_core(py, error),
        }
    }
}

/// The name of a kind by its number.
pub(crate) fn kind_name(field: Field, number: u64) -> &'static str {
    let Unit::Kind(names) = field.unit() else { return "" };
    let position = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    position.and_then(|position| names.get(position)).copied().unwrap_or_default()
}

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
                refusal::shown(&name)
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
