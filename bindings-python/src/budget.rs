use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::arguments::{self, Argument, Now};
use crate::errors::class;

/// Retries that many operations share (SPEC 15), so that retries do not make an overload worse:
/// one budget for each server, passed to all operations that call it.
///
/// Budget.parse makes one, and str() is its budget string. Properties have their defaults filled in;
/// a field that the kind does not use is None. Threads may share one, with and
/// without the GIL: each update is atomic. It reads no clock.
///
/// Budgets are compared by identity and cannot be copied or pickled: a copy would grant the
/// same retries twice. A forked child continues with its own copy of the counts, but must not
/// use a budget that another thread of its parent may have been using at the fork; create a new
/// one in the child.
#[pyclass(frozen, weakref, module = "backoff_rs")]
pub(crate) struct Budget(pub(crate) backoff_core::Budget);

impl Argument for Budget {
    const ARGUMENT: &'static str = "budget";
}

#[pymethods]
impl Budget {
    // Without a constructor Python would show a signature, and its oldest pickle protocols would
    // accept budgets.
    #[new]
    #[pyo3(signature = (*_arguments, **_keywords), text_signature = None)]
    fn new(
        _arguments: &Bound<'_, PyTuple>,
        _keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        Err(PyTypeError::new_err("Budget has no constructor; Budget.parse(text) makes one"))
    }

    /// A new budget with all its tokens, from a budget string: "quota:max_tokens=100,cost=5", "concurrent", or
    /// a preset (SPEC 15.1), "aws-sdk-2026".
    ///
    /// Raises PolicyError for the first rule of SPEC 11 or 15 that is broken; its at and found
    /// locate the error in the string.
    #[staticmethod]
    fn parse(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        arguments::parsed(text, |utf8| backoff_core::Budget::parse(utf8)).map(Self)
    }

    /// The kind: "quota", "throttle", "ratio", "rate", "ttl" or "concurrent".
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind()
    }

    /// What is left, a BudgetLevel, for a gauge (SPEC 15.9). The time is nanoseconds of the clock of its
    /// operations, by default that of loops: time.monotonic_ns().
    ///
    /// Raises PolicyError for a time out of range.
    #[pyo3(signature = (now_ns = None), text_signature = "($self, now_ns=None)")]
    fn level<'py>(&self, py: Python<'py>, now_ns: Option<Now>) -> PyResult<Bound<'py, PyAny>> {
        let now_ns = match now_ns {
            Some(now) => now.0,
            None => py.import("time")?.call_method0("monotonic_ns")?.extract()?,
        };
        level(py, self.0.level(now_ns))
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Budget {}>", self.0)
    }
}

/// A level as a `BudgetLevel`.
pub(crate) fn level(
    py: Python<'_>,
    level: backoff_core::BudgetLevel,
) -> PyResult<Bound<'_, PyAny>> {
    let class = class!(py, "backoff_rs._budget_store", "BudgetLevel")?;
    class.call1((level.level, level.max, level.unit))
}
