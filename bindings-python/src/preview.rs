use std::iter::Take;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::arguments::{Max, Mean, Min, TotalMax, TotalMean, TotalMin};
use crate::duration::seconds;

/// The range of one retry's delay (SPEC 16): its minimum, mean and maximum, and the totals of
/// each up to and including this retry.
///
/// A value: frozen, hashable, comparable, picklable.
#[pyclass(frozen, eq, hash, get_all, module = "backoff_rs")]
#[derive(PartialEq, Eq, Hash)]
#[expect(clippy::struct_field_names, reason = "names of Python, which shows them")]
pub(crate) struct PreviewRow {
    /// The shortest delay in nanoseconds, an int.
    min_ns: u64,
    /// The mean delay in nanoseconds, an int; see mean.
    mean_ns: u64,
    /// The longest delay in nanoseconds, an int.
    max_ns: u64,
    /// The sum of the minimums so far in nanoseconds, an int.
    total_min_ns: u64,
    /// The sum of the means so far in nanoseconds, an int.
    total_mean_ns: u64,
    /// The sum of the maximums so far in nanoseconds, an int.
    total_max_ns: u64,
}

impl From<backoff_core::PreviewRow> for PreviewRow {
    fn from(row: backoff_core::PreviewRow) -> Self {
        Self {
            min_ns: row.min_ns,
            mean_ns: row.mean_ns,
            max_ns: row.max_ns,
            total_min_ns: row.total_min_ns,
            total_mean_ns: row.total_mean_ns,
            total_max_ns: row.total_max_ns,
        }
    }
}

#[pymethods]
impl PreviewRow {
    #[new]
    fn new(
        min_ns: Min,
        mean_ns: Mean,
        max_ns: Max,
        total_min_ns: TotalMin,
        total_mean_ns: TotalMean,
        total_max_ns: TotalMax,
    ) -> Self {
        Self {
            min_ns: min_ns.0,
            mean_ns: mean_ns.0,
            max_ns: max_ns.0,
            total_min_ns: total_min_ns.0,
            total_mean_ns: total_mean_ns.0,
            total_max_ns: total_max_ns.0,
        }
    }

    /// The shortest delay, in float seconds.
    #[getter]
    fn min(&self) -> f64 {
        seconds(self.min_ns)
    }

    /// The mean delay, rounded down, in float seconds. Under decorrelated jitter it is
    /// the mean delay if the previous delay was itself the mean: an upper estimate once the cap can
    /// be reached.
    #[getter]
    fn mean(&self) -> f64 {
        seconds(self.mean_ns)
    }

    /// The longest delay, in float seconds.
    #[getter]
    fn max(&self) -> f64 {
        seconds(self.max_ns)
    }

    /// The sum of the minimums so far, in float seconds.
    #[getter]
    fn total_min(&self) -> f64 {
        seconds(self.total_min_ns)
    }

    /// The sum of the means so far, in float seconds.
    #[getter]
    fn total_mean(&self) -> f64 {
        seconds(self.total_mean_ns)
    }

    /// The sum of the maximums so far, in float seconds.
    #[getter]
    fn total_max(&self) -> f64 {
        seconds(self.total_max_ns)
    }

    fn __repr__(&self) -> String {
        let (min, mean, max, total_min, total_mean, total_max) = self.parts();
        format!(
            "PreviewRow(min_ns={min}, mean_ns={mean}, max_ns={max}, \
            total_min_ns={total_min}, total_mean_ns={total_mean}, \
            total_max_ns={total_max})"
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, Parts) {
        (py.get_type::<Self>(), self.parts())
    }
}

type Parts = (u64, u64, u64, u64, u64, u64);

impl PreviewRow {
    fn parts(&self) -> Parts {
        (
            self.min_ns,
            self.mean_ns,
            self.max_ns,
            self.total_min_ns,
            self.total_mean_ns,
            self.total_max_ns,
        )
    }
}

/// An iterator over PreviewRow.
#[pyclass(frozen, module = "backoff_rs")]
pub(crate) struct Preview(Mutex<Take<backoff_core::Preview>>);

impl Preview {
    /// The rows of a policy, at most `count`.
    pub(crate) fn new(policy: &backoff_core::Policy, count: Option<u64>) -> Self {
        // A count beyond memory is no limit: there are 2^32 rows at most.
        let count = count.and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX);
        Self(Mutex::new(policy.preview().take(count)))
    }
}

#[pymethods]
impl Preview {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self) -> Option<PreviewRow> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).next().map(Into::into)
    }
}
