use backoff_core::StopReason;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::arguments::Delay;
use crate::duration::seconds;
use crate::enums::{ReasonArgument, member};

/// What to do after an attempt: wait and attempt again (truthy), or stop (falsy).
///
/// A value: frozen, hashable, comparable, picklable.
#[pyclass(frozen, eq, hash, module = "backoff_rs")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Decision {
    delay_ns: u64,
    reason: Option<StopReason>,
}

impl From<backoff_core::Decision> for Decision {
    fn from(decision: backoff_core::Decision) -> Self {
        Self { delay_ns: decision.delay_ns(), reason: decision.stop_reason() }
    }
}

#[pymethods]
impl Decision {
    #[new]
    #[pyo3(signature = (delay_ns, reason = None))]
    fn new(delay_ns: Delay, reason: Option<ReasonArgument>) -> Self {
        Self { delay_ns: delay_ns.0, reason: reason.map(|reason| reason.0) }
    }

    /// The wait in float seconds. For a stop, the wait that was not begun: 0.0 unless the reason
    /// is "max_elapsed", "deadline" or "budget".
    #[getter]
    fn delay(&self) -> f64 {
        seconds(self.delay_ns)
    }

    /// The same in nanoseconds, an int.
    #[getter]
    fn delay_ns(&self) -> u64 {
        self.delay_ns
    }

    /// Why the operation stopped, a StopReason; None if it should wait.
    #[getter]
    fn reason<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.reason.map(|reason| member(py, reason)).transpose()
    }

    fn __bool__(&self) -> bool {
        self.reason.is_none()
    }

    fn __repr__(&self) -> String {
        match self.reason {
            None => format!("Decision(delay_ns={})", self.delay_ns),
            Some(reason) => {
                format!("Decision(delay_ns={}, reason='{}')", self.delay_ns, reason.name())
            }
        }
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, PyType>, (u64, Option<&'static str>)) {
        (py.get_type::<Self>(), (self.delay_ns, self.reason.map(StopReason::name)))
    }
}
