use backoff_core::StopReason;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{Attempts, Given, Reason};
use crate::names::member;

/// How many operations made how many attempts, and why they stopped (SPEC 17): counted by the
/// client, for a server to be told.
///
/// Threads may share one: each operation is counted once. A pickle or copy is another history,
/// with what was counted until then; merge() adds those of other processes.
#[pyclass(frozen, module = "backoff_rs")]
pub(crate) struct History(backoff_core::History);

type Words = [u64; backoff_core::History::WORDS];

#[pymethods]
impl History {
    #[new]
    fn new() -> Self {
        Self(backoff_core::History::new())
    }

    /// The most attempts of each bucket but the last, which has no bound.
    #[classattr]
    #[pyo3(name = "BOUNDS")]
    fn bounds() -> (u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64) {
        backoff_core::History::BOUNDS.into()
    }

    /// Counts an operation that has ended after so many attempts; the reason is a StopReason or
    /// its name. 0 attempts count as one: that of an operation cancelled before it.
    ///
    /// Raises PolicyError for attempts outside 0 to 2**64 - 1 and for an unknown reason.
    fn record(&self, attempts: Attempts, reason: Reason) {
        self.0.record(attempts.0, reason.0);
    }

    /// Adds the counts of another history; += does the same. No count goes beyond 2**64 - 1.
    fn merge(&self, other: Given<'_, '_, Self>) {
        self.0.merge(&other.0.get().0);
    }

    fn __iadd__(&self, other: Given<'_, '_, Self>) {
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

    /// The retries of all operations; they never go down while others record.
    #[getter]
    fn retries(&self) -> u64 {
        self.0.retries()
    }

    /// The operations of each bucket by itself: those with at most BOUNDS[0] attempts, with
    /// more and at most BOUNDS[1], ..., with more than BOUNDS[-1]. A list, as OpenTelemetry
    /// wants it.
    #[getter]
    fn buckets(&self) -> Vec<u64> {
        self.0.buckets().to_vec()
    }

    /// The operations by the reason for which they stopped, every StopReason a key.
    #[getter]
    fn stops<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stops = PyDict::new(py);
        for reason in StopReason::ALL {
            stops.set_item(member(py, reason)?, self.0.stopped(reason))?;
        }
        Ok(stops)
    }

    /// The counts in the text format of Prometheus, for an endpoint to answer.
    fn prometheus(&self) -> String {
        self.0.lines().fold(String::new(), |text, line| text + line.as_str() + "\n")
    }

    fn __repr__(&self) -> String {
        let (operations, attempts) = (self.operations(), self.attempts());
        format!("<History of {operations} operations, {attempts} attempts>")
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Words,))> {
        Ok((py.get_type::<Self>().getattr("_of")?, (self.0.to_words(),)))
    }

    /// The history of a pickle.
    #[staticmethod]
    fn _of(words: Words) -> Self {
        Self(backoff_core::History::from_words(&words))
    }
}
