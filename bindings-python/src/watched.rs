use pyo3::PyTraverseError;
use pyo3::exceptions::{PyBaseException, PyStopIteration};
use pyo3::gc::PyVisit;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::iterator::PySendResult;
use pyo3::types::{PyIterator, PyTuple};

/// The steps of a call that a loop awaits, as `yield from` would make them. It notes the frame that
/// catches what is thrown into the call, which may be that of a task group.
#[pyclass(frozen, name = "_Watched", module = "backoff_rs")]
pub(crate) struct Watched {
    steps: Py<PyIterator>,
    /// Has a method `note_group(frame)`.
    cancellations: Py<PyAny>,
}

#[pymethods]
impl Watched {
    #[new]
    fn new(call: &Bound<'_, PyAny>, cancellations: Bound<'_, PyAny>) -> PyResult<Self> {
        let steps =
            call.call_method0(intern!(call.py(), "__await__"))?.cast_into::<PyIterator>()?;
        Ok(Self { steps: steps.unbind(), cancellations: cancellations.unbind() })
    }

    fn __await__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.steps.bind(py).send(py.None().bind(py))? {
            PySendResult::Next(item) => Ok(Some(item)),
            // Without an exception it is None, too.
            PySendResult::Return(value) if value.is_none() => Ok(None),
            PySendResult::Return(value) => Err(PyStopIteration::new_err((value.unbind(),))),
        }
    }

    fn send<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match self.steps.bind(value.py()).send(value)? {
            PySendResult::Next(item) => Ok(item),
            PySendResult::Return(value) => Err(PyStopIteration::new_err((value.unbind(),))),
        }
    }

    /// The exception, or its type, value and traceback.
    #[pyo3(signature = (*thrown))]
    fn throw<'py>(&self, thrown: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let step = self.steps.bind(thrown.py()).call_method1("throw", thrown);
        for error in thrown.iter().filter(PyAnyMethods::is_instance_of::<PyBaseException>) {
            // The outermost frame that it reached is the one that caught it.
            let traceback = error.getattr("__traceback__")?;
            if !traceback.is_none() {
                let frame = traceback.getattr("tb_frame")?;
                self.cancellations.bind(frame.py()).call_method1("note_group", (frame,))?;
            }
        }
        step
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.steps.bind(py).call_method0("close").map(drop)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.steps)?;
        visit.call(&self.cancellations)
    }
}
