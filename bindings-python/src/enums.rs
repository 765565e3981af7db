//! The enums of Python, `Outcome`, `StopReason` and `BudgetEvent`: from their members or names to the core's, and
//! back.

use backoff_core::ffi::BUDGET_EVENTS;
use backoff_core::{Outcome, StopReason};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

use crate::arguments::Status;
use crate::errors::{self, class};

const MODULE: &str = "backoff_rs._types";

fn outcome_class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    class!(py, MODULE, "Outcome")
}

fn reason_class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    class!(py, MODULE, "StopReason")
}

/// A reason as a member of Python's enum.
pub(crate) fn member(py: Python<'_>, reason: StopReason) -> PyResult<Bound<'_, PyAny>> {
    reason_class(py)?.call1((reason.name(),))
}

/// The argument `outcome`: a member or its name.
#[derive(Clone, Copy)]
pub(crate) struct OutcomeArgument(pub(crate) Outcome);

impl FromPyObject<'_, '_> for OutcomeArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        const EXPECTED: &str = "an Outcome or its name";
        let all = (Outcome::ALL, Outcome::name as fn(_) -> _);
        named("outcome", EXPECTED, &object, reason_class, all).map(Self)
    }
}

/// The argument `reason`: a member or its name.
#[derive(Clone, Copy)]
pub(crate) struct ReasonArgument(pub(crate) StopReason);

impl FromPyObject<'_, '_> for ReasonArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        const EXPECTED: &str = "a StopReason or its name";
        let all = (StopReason::ALL, StopReason::name as fn(_) -> _);
        named("reason", EXPECTED, &object, outcome_class, all).map(Self)
    }
}

/// The argument `event`: a member or its name. This is its number.
#[derive(Clone, Copy)]
pub(crate) struct EventArgument(pub(crate) u32);

impl FromPyObject<'_, '_> for EventArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        const EXPECTED: &str = "a BudgetEvent or its name";
        let all: Vec<(u32, &'static str)> = (1..).zip(BUDGET_EVENTS).collect();
        let name = |(_, name)| name;
        named("event", EXPECTED, &object, outcome_class, (&all, name))
            .map(|(number, _)| Self(number))
    }
}

/// The one of `all` with this name. Outcomes and reasons share some names, so a member of
/// the other enum is a mistake, although it is a `str`.
fn named<T: Copy>(
    argument: &str,
    expected: &str,
    object: &Bound<'_, PyAny>,
    other_enum: fn(Python<'_>) -> PyResult<&Bound<'_, PyType>>,
    (all, name): (&[T], fn(T) -> &'static str),
) -> PyResult<T> {
    let wrong_type = || errors::wrong_type(argument, expected, object);
    let text = object.cast::<PyString>().map_err(|_| wrong_type())?;
    if !text.is_exact_instance_of::<PyString>() && text.is_instance(other_enum(object.py())?)? {
        return Err(wrong_type());
    }
    let text = text.to_string_lossy();
    all.iter().copied().find(|&one| name(one) == text).ok_or_else(|| {
        let names = all.iter().map(|&one| name(one)).collect::<Vec<_>>().join(", ");
        let why = format!("is unknown; the {argument}s are {names}");
        errors::invalid(&format!("unknown_{argument}"), argument, object, 0, &why)
    })
}

/// The name of the outcome of an HTTP status; `Outcome.of_http_status()` makes it a member.
#[pyfunction]
pub(crate) fn _outcome_of_http_status(status: Status) -> &'static str {
    Outcome::from_http_status(status.0).name()
}
