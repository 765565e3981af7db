use std::iter::Take;
use std::sync::{Mutex, PoisonError};

use backoff_core::PreviewRow;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// An iterator over PreviewRow.
#[pyclass(frozen, module = "backoff_rs")]
pub(crate) struct Preview(Mutex<Take<backoff_core::Preview>>);

impl Preview {
    /// All rows, or so many at most.
    pub(crate) fn new(policy: &backoff_core::Policy, count: Option<u64>) -> Self {
        // No policy has more rows than there are indices.
        let count = count.and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX);
        Self(Mutex::new(policy.preview().take(count)))
    }
}

#[pymethods]
impl Preview {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        // No Python runs while it is locked.
        let next = self.0.lock().unwrap_or_else(PoisonError::into_inner).next();
        let Some(PreviewRow { smallest, mean, largest, total_smallest, total_mean, total_largest }) =
            next
        else {
            return Ok(None);
        };
        let row = (smallest, mean, largest, total_smallest, total_mean, total_largest);
        CLASS.import(py, "backoff_rs._preview", "PreviewRow")?.call1(row).map(Some)
    }
}
