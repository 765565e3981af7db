use std::iter::Take;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::arguments::{Largest, Mean, Smallest, TotalLargest, TotalMean, TotalSmallest};
use crate::seconds::seconds;

/// A retry as it can be (SPEC 16): its smallest, mean and largest delay, and the totals of each
/// up to here.
///
/// A value: frozen, hashable, comparable, picklable.
#[pyclass(frozen, eq, hash, module = "backoff_rs")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PreviewRow(backoff_core::PreviewRow);

#[pymethods]
impl PreviewRow {
    #[new]
    fn new(
        smallest_ns: Smallest,
        mean_ns: Mean,
        largest_ns: Largest,
        total_smallest_ns: TotalSmallest,
        total_mean_ns: TotalMean,
        total_largest_ns: TotalLargest,
    ) -> Self {
        Self(backoff_core::PreviewRow {
            smallest: smallest_ns.0,
            mean: mean_ns.0,
            largest: largest_ns.0,
            total_smallest: total_smallest_ns.0,
            total_mean: total_mean_ns.0,
            total_largest: total_largest_ns.0,
        })
    }

    /// The smallest delay, in float seconds.
    #[getter]
    fn smallest(&self) -> f64 {
        seconds(self.0.smallest)
    }

    /// The same in nanoseconds, an int.
    #[getter]
    fn smallest_ns(&self) -> u64 {
        self.0.smallest
    }

    /// The mean of the delays, rounded down. Under decorrelated jitter, that after the mean of
    /// the retry before, an upper estimate where the cap can be reached; in float seconds.
    #[getter]
    fn mean(&self) -> f64 {
        seconds(self.0.mean)
    }

    /// The same in nanoseconds, an int.
    #[getter]
    fn mean_ns(&self) -> u64 {
        self.0.mean
    }

    /// The largest delay, in float seconds.
    #[getter]
    fn largest(&self) -> f64 {
        seconds(self.0.largest)
    }

    /// The same in nanoseconds, an int.
    #[getter]
    fn largest_ns(&self) -> u64 {
        self.0.largest
    }

    /// The smallest delays up to here together, in float seconds.
    #[getter]
    fn total_smallest(&self) -> f64 {
        seconds(self.0.total_smallest)
    }

    /// The same in nanoseconds, an int.
    #[getter]
    fn total_smallest_ns(&self) -> u64 {
        self.0.total_smallest
    }

    /// The means up to here together, in float seconds.
    #[getter]
    fn total_mean(&self) -> f64 {
        seconds(self.0.total_mean)
    }

    /// The same in nanoseconds, an int.
    #[getter]
    fn total_mean_ns(&self) -> u64 {
        self.0.total_mean
    }

    /// The largest delays up to here together, in float seconds.
    #[getter]
    fn total_largest(&self) -> f64 {
        seconds(self.0.total_largest)
    }

    /// The same in nanoseconds, an int.
    #[getter]
    fn total_largest_ns(&self) -> u64 {
        self.0.total_largest
    }

    fn __repr__(&self) -> String {
        let (smallest, mean, largest, total_smallest, total_mean, total_largest) = self.parts();
        format!(
            "PreviewRow(smallest_ns={smallest}, mean_ns={mean}, largest_ns={largest}, \
            total_smallest_ns={total_smallest}, total_mean_ns={total_mean}, \
            total_largest_ns={total_largest})"
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, Parts) {
        (py.get_type::<Self>(), self.parts())
    }
}

type Parts = (u64, u64, u64, u64, u64, u64);

impl PreviewRow {
    fn parts(&self) -> Parts {
        let row = self.0;
        (row.smallest, row.mean, row.largest, row.total_smallest, row.total_mean, row.total_largest)
    }
}

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

    fn __next__(&self) -> Option<PreviewRow> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).next().map(PreviewRow)
    }
}
