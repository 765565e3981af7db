use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyStopIteration;
use pyo3::prelude::*;

use crate::arguments::Instance;
use crate::duration::seconds;
use crate::policy::Policy;
use crate::process;
use crate::stream::RandomStream;

/// An iterator over the delays of a policy in float seconds: policy.delay(stream, index) for
/// index 0, 1, 2, .... It ends after max_retries delays; without that limit after index 2**32 - 1,
/// so itertools.islice must cut it.
///
/// Backoff(policy, stream=None): without a stream it draws one from the operating system, and a
/// forked child draws a new one at the same index, so that the workers of a pre-forking server do
/// not wait in lockstep. A stream that you pass is kept in a forked child.
///
/// Threads may share one: each delay is returned once. It never sleeps and reads no clock: an
/// Operation applies max_elapsed and deadlines.
///
/// Raises OSError if the system has no randomness to give.
#[pyclass(frozen, module = "backoff_rs")]
pub(crate) struct Backoff {
    state: Mutex<State>,
}

struct State {
    backoff: backoff_core::Backoff,
    /// The generation of the process that drew the stream from entropy; `None` if the caller
    /// passed the stream.
    drawn_in: Option<u32>,
}

#[pymethods]
impl Backoff {
    #[new]
    #[pyo3(signature = (policy, stream = None))]
    fn new(
        policy: Instance<'_, '_, Policy>,
        stream: Option<Instance<'_, '_, RandomStream>>,
    ) -> PyResult<Self> {
        let (stream, drawn_in) = match stream {
            Some(stream) => (stream.0.get().0, None),
            None => (process::entropy()?, Some(process::generation())),
        };
        let backoff = backoff_core::Backoff::new(policy.0.get().0, stream);
        Ok(Self { state: Mutex::new(State { backoff, drawn_in }) })
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self) -> PyResult<Option<f64>> {
        Ok(self.state()?.backoff.next_ns().map(seconds))
    }

    /// The next delay in nanoseconds, an int: next() without the rounding to a float. Raises
    /// StopIteration after the last delay, as next() does.
    fn next_ns(&self) -> PyResult<u64> {
        self.state()?.backoff.next_ns().ok_or_else(|| PyStopIteration::new_err(()))
    }

    /// Starts again at index 0, after a success or the last delay. The delays are new ones: the
    /// stream advances by the draws taken (SPEC 9.2).
    fn reset(&self) -> PyResult<()> {
        self.state()?.backoff.reset();
        Ok(())
    }

    /// The index of the next delay: the delays taken since the last reset; at the end max_retries.
    #[getter]
    fn index(&self) -> PyResult<u64> {
        Ok(self.state()?.backoff.index())
    }

    /// The stream of these delays; reset() changes it.
    #[getter]
    fn stream(&self) -> PyResult<RandomStream> {
        Ok(RandomStream(self.state()?.backoff.stream()))
    }

    /// The policy.
    #[getter]
    fn policy(&self) -> PyResult<Policy> {
        Ok(Policy(*self.state()?.backoff.policy()))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (policy, stream, index) = (self.policy()?, self.stream()?, self.index()?);
        let policy = Bound::new(py, policy)?.repr()?;
        let stream = Bound::new(py, stream)?.repr()?;
        Ok(format!("<Backoff({policy}, {stream}) at index {index}>"))
    }
}

impl Backoff {
    /// The state, with a stream of this process. No Python runs while it is locked.
    fn state(&self) -> PyResult<MutexGuard<'_, State>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let generation = process::generation();
        if state.drawn_in.is_some_and(|drawn_in| drawn_in != generation) {
            state.redraw(generation)?;
        }
        Ok(state)
    }
}

impl State {
    /// A new stream at the parent's index.
    #[cold]
    fn redraw(&mut self, generation: u32) -> PyResult<()> {
        let mut backoff = backoff_core::Backoff::new(*self.backoff.policy(), process::entropy()?);
        for _ in 0..self.backoff.index() {
            backoff.next_ns();
        }
        *self = Self { backoff, drawn_in: Some(generation) };
        Ok(())
    }
}
