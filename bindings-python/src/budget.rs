use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::{arguments, refusal};

/// What bounds the retries of many operations together (SPEC 15), so that retries do not make
/// an overload worse: one budget for each server, shared by all operations that call it.
///
/// Made by Budget.parse; operations are given it and keep its account. Threads may share one,
/// with and without the GIL: each event happens as a whole. It reads no clock.
///
/// str() is its line. It is no value but an account: two budgets are equal only if they are
/// the same one, and a copy, which would grant the same retries again, can be neither made nor
/// pickled. A forked child goes on with an account of its own, but must not use one that
/// another thread of its parent may have been using at that moment.
#[pyclass(frozen, module = "backoff_rs")]
pub(crate) struct Budget(pub(crate) backoff_core::Budget);

#[pymethods]
impl Budget {
    // Without one, Python would show a signature, and pickle budgets by its oldest protocols.
    #[new]
    #[pyo3(signature = (*_arguments, **_keywords), text_signature = None)]
    fn new(
        _arguments: &Bound<'_, PyTuple>,
        _keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        Err(PyTypeError::new_err("Budget has no constructor; Budget.parse(line) makes one"))
    }

    /// The budget that a line describes, full: "quota:max_tokens=100,cost=5", "concurrent", or
    /// a preset (SPEC 15.1), "aws-sdk-2026".
    ///
    /// Raises PolicyError, whose at and found say where and what, for the first rule of SPEC 11
    /// or 15 that is broken.
    #[staticmethod]
    fn parse(line: &Bound<'_, PyAny>) -> PyResult<Self> {
        let text = arguments::utf8("line", "a str", line)?;
        backoff_core::Budget::parse(&text)
            .map(Self)
            .map_err(|error| refusal::by_line(line.py(), &error, &text))
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Budget {}>", self.0)
    }
}
