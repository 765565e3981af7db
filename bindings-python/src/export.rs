//! Policies as the configuration of engines that retry by themselves: what `backoff-export` converts.

use std::ffi::CString;

use backoff_export::{Format, ImportOptions};
use pyo3::exceptions::{PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::arguments;
use crate::errors;

/// The configuration of an engine for a policy and a budget.
pub(crate) fn export(
    policy: &backoff_core::Policy,
    format: &Bound<'_, PyAny>,
    budget: Option<&backoff_core::Budget>,
) -> PyResult<String> {
    backoff_export::export(policy, budget, named(format)?).map_err(value_error)
}

/// The policy and the budget of such a configuration.
pub(crate) fn import(
    format: &Bound<'_, PyAny>,
    text: &Bound<'_, PyAny>,
) -> PyResult<(backoff_core::Policy, Option<backoff_core::Budget>)> {
    let py = text.py();
    let format = named(format)?;
    let utf8 = arguments::utf8("text", "a str", text)?;
    // What is not UTF-8 is in no configuration, and its place is shown.
    let text = String::from_utf8_lossy(&utf8);
    let imported = backoff_export::import_with(&text, format, ImportOptions::default());
    let imported = imported
        .map_err(|error| PyValueError::new_err(format!("format {}: {error}", format.name())))?;
    for warning in imported.warnings {
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &CString::new(warning)?, 1)?;
    }
    Ok((imported.policy, imported.budget))
}

fn named(format: &Bound<'_, PyAny>) -> PyResult<Format> {
    let name = format.cast::<PyString>();
    let name = name.map_err(|_| errors::wrong_type("format", "a str", format))?;
    name.to_string_lossy().parse().map_err(value_error)
}

fn value_error(error: impl std::error::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}
