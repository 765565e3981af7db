use backoff_core::StopReason;
use backoff_core::ffi::{STATS_WORDS, stats_from_words, stats_to_words};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyTuple};

use crate::arguments::{Argument, Attempts, Instance};
use crate::enums::{ReasonArgument, member};

/// Counts of operations by their attempts and by their stop reason (SPEC 17).
///
/// Threads may share one: each operation is counted once. A pickle or copy is independent and
/// starts with the counts so far; merge() adds the counts of other processes.
#[pyclass(frozen, weakref, module = "backoff_rs")]
pub(crate) struct RetryStats(backoff_core::RetryStats);

/// The counts in a pickle.
type Counts = [u64; STATS_WORDS];

impl Argument for RetryStats {
    const ARGUMENT: &'static str = "other";
}

#[pymethods]
impl RetryStats {
    #[new]
    fn new() -> Self {
        Self(backoff_core::RetryStats::new())
    }

    /// The most attempts that each bucket counts; the last bucket has no bound.
    #[classattr]
    #[pyo3(name = "BOUNDS")]
    fn bounds(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        PyTuple::new(py, backoff_core::RetryStats::BOUNDS)
    }

    /// Counts an operation that ended after this many attempts; the reason is a StopReason or
    /// its name. 0 attempts, of an operation cancelled before its first, count as one.
    ///
    /// Raises PolicyError for attempts outside 0 to 2**64 - 1 and for an unknown reason.
    fn record(&self, attempts: Attempts, reason: ReasonArgument) {
        self.0.record(attempts.0, reason.0);
    }

    /// Adds the counts of another; += does the same. Counts saturate at 2**64 - 1.
    fn merge(&self, other: Instance<'_, '_, Self>) {
        self.0.merge(&other.0.get().0);
    }

    fn __iadd__(&self, other: Instance<'_, '_, Self>) {
        self.merge(other);
    }

    /// The operations counted.
    #[getter]
    fn operations(&self) -> u64 {
        self.0.operations()
    }

    /// The attempts of all operations.
    #[getter]
    fn attempts(&self) -> u64 {
        self.0.attempts()
    }

    /// The retries of all operations; they never decrease while other threads record.
    #[getter]
    fn retries(&self) -> u64 {
        self.0.retries()
    }

    /// The operations in each bucket, not cumulative: with at most BOUNDS[0] attempts, with more
    /// and at most BOUNDS[1], ..., with more than BOUNDS[-1]. OpenTelemetry takes this list.
    #[getter]
    fn buckets(&self) -> Vec<u64> {
        self.0.buckets().collect()
    }

    /// The operations by their stop reason; every StopReason is a key.
    #[getter]
    fn stops<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stops = PyDict::new(py);
        for &reason in StopReason::ALL {
            stops.set_item(member(py, reason)?, self.0.stops(reason))?;
        }
        Ok(stops)
    }

    /// The counts in the Prometheus text format, for a metrics endpoint. The prefix begins the names of
    /// the metrics. Labels, a mapping of names to values, are those of every count, in this order.
    ///
    /// Raises ValueError for a prefix or a name that Prometheus does not allow, or that the text needs
    /// itself.
    #[pyo3(
        signature = (*, prefix = "backoff", labels = None),
        text_signature = "($self, *, prefix='backoff', labels=None)"
    )]
    fn prometheus(&self, prefix: &str, labels: Option<&Bound<'_, PyMapping>>) -> PyResult<String> {
        let pairs: Vec<(String, String)> = match labels {
            Some(labels) => {
                let items = labels.items()?;
                items.iter().map(|item| item.extract()).collect::<PyResult<_>>()?
            }
            None => Vec::new(),
        };
        let labels: Vec<_> = pairs.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        let text = self.0.prometheus_text(prefix, &labels);
        let text = text.map_err(|refused| PyValueError::new_err(refused.to_string()))?;
        Ok(text.to_string())
    }

    fn __repr__(&self) -> String {
        let (operations, attempts) = (self.operations(), self.attempts());
        format!("<RetryStats of {operations} operations, {attempts} attempts>")
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Counts,))> {
        Ok((py.get_type::<Self>().getattr("_of")?, (stats_to_words(&self.0),)))
    }

    /// Restores a pickle.
    #[staticmethod]
    fn _of(counts: Counts) -> Self {
        Self(stats_from_words(&counts))
    }
}
