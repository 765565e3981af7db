//! The enums of Python: what an operation is told and why it stops.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// The class of outcomes.
pub(crate) fn outcome(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    CLASS.import(py, MODULE, "Outcome")
}

/// The class of reasons to stop.
pub(crate) fn stop_reason(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    CLASS.import(py, MODULE, "StopReason")
}

const MODULE: &str = "backoff_rs._names";

/// A reason as Python's enum has it.
pub(crate) fn member(
    py: Python<'_>,
    reason: backoff_core::StopReason,
) -> PyResult<Bound<'_, PyAny>> {
    stop_reason(py)?.call1((reason.name(),))
}
