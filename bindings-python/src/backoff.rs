use pyo3::exceptions::PyStopIteration;
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;

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
// Not frozen with a lock inside: a borrow is one atomic operation, locking and unlocking are two.
#[pyclass(weakref, module = "backoff_rs")]
pub(crate) struct Backoff {
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
        Ok(Self { backoff, drawn_in })
    }

    fn __iter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    fn __next__(this: &Bound<'_, Self>) -> PyResult<Option<f64>> {
        Ok(with(this, backoff_core::Backoff::next_ns)?.map(seconds))
    }

    /// The next delay in nanoseconds, an int: next() without the rounding to a float. Raises
    /// StopIteration after the last delay, as next() does.
    fn next_ns(this: &Bound<'_, Self>) -> PyResult<u64> {
        with(this, backoff_core::Backoff::next_ns)?.ok_or_else(|| PyStopIteration::new_err(()))
    }

    /// Starts again at index 0, after a success or the last delay. The delays are new ones: the
    /// stream advances by the draws taken (SPEC 9.2).
    fn reset(this: &Bound<'_, Self>) -> PyResult<()> {
        with(this, backoff_core::Backoff::reset)
    }

    /// The index of the next delay: the delays taken since the last reset; at the end max_retries.
    #[getter]
    fn index(this: &Bound<'_, Self>) -> PyResult<u64> {
        with(this, |backoff| backoff.index())
    }

    /// The stream of these delays; reset() changes it.
    #[getter]
    fn stream(this: &Bound<'_, Self>) -> PyResult<RandomStream> {
        with(this, |backoff| RandomStream(backoff.stream()))
    }

    /// The policy.
    #[getter]
    fn policy(this: &Bound<'_, Self>) -> PyResult<Policy> {
        with(this, |backoff| Policy(*backoff.policy()))
    }

    fn __repr__(this: &Bound<'_, Self>) -> PyResult<String> {
        let (policy, stream) = (Self::policy(this)?, Self::stream(this)?);
        let policy = Bound::new(this.py(), policy)?.repr()?;
        let stream = Bound::new(this.py(), stream)?.repr()?;
        Ok(format!("<Backoff({policy}, {stream}) at index {}>", Self::index(this)?))
    }
}

/// Does this to the delays, after a fork with a new stream. No other thread does meanwhile: it
/// runs no Python, and holds the lock of the object where the interpreter has no lock.
fn with<T>(
    this: &Bound<'_, Backoff>,
    action: impl FnOnce(&mut backoff_core::Backoff) -> T,
) -> PyResult<T> {
    with_critical_section(this, || {
        let mut this = this.try_borrow_mut()?;
        let generation = process::generation();
        if this.drawn_in.is_some_and(|drawn_in| drawn_in != generation) {
            this.redraw(generation)?;
        }
        Ok(action(&mut this.backoff))
    })
}

impl Backoff {
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
