use std::sync::{Mutex, MutexGuard, PoisonError};

use backoff_core::{MAX_NS, StopReason};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arguments::{
    Began, Clock, Deadline, Instance, Now, OwnDelay, Retries, RetryAfter, Time,
};
use crate::budget::Budget;
use crate::decision::Decision;
use crate::duration;
use crate::enums::{OutcomeArgument, member};
use crate::errors;
use crate::policy::Policy;
use crate::process;
use crate::stream::RandomStream;

/// A call that is attempted until it succeeds or stops: after each attempt it decides whether to
/// wait and how long, or why to stop (SPEC 13).
///
/// Operation(policy, stream, *, now_ns, deadline_ns=None, budget=None): it begins now. Times
/// are nanoseconds, 0 to 2**64 - 1, of any clock that does not go back, such as
/// time.monotonic_ns(); all operations on a budget use the same clock. The deadline is a time of
/// that clock, too: one of time.time_ns() would not pass within years. It never sleeps and reads no
/// clock. Operations with the same stream wait the same: give each a key of its own, or
/// RandomStream.from_entropy().
///
/// A with statement cancels it at the end if it has not stopped, so that the budget gets back
/// what it holds. One that is dropped is cancelled when Python frees it.
///
/// Threads may share one: each decision is atomic. It cannot be copied or pickled.
///
/// Raises PolicyError for a time out of range.
#[pyclass(frozen, weakref, module = "backoff_rs")]
pub(crate) struct Operation {
    state: Mutex<backoff_core::Operation>,
    budget: Option<Py<Budget>>,
}

#[pymethods]
impl Operation {
    #[new]
    #[pyo3(signature = (policy, stream, *, now_ns, deadline_ns = None, budget = None))]
    fn new(
        policy: Instance<'_, '_, Policy>,
        stream: Instance<'_, '_, RandomStream>,
        now_ns: Now,
        deadline_ns: Option<Deadline>,
        budget: Option<Instance<'_, '_, Budget>>,
    ) -> Self {
        Self::begin(policy, stream.0.get().0, now_ns, deadline_ns, budget)
    }

    /// The operation as it stands after this many waits, for a job queue or a library that keeps
    /// only their number (SPEC 13.7). It began at began_ns and has no budget.
    ///
    /// Raises PolicyError for a number out of range.
    #[staticmethod]
    #[pyo3(signature = (policy, stream, retries, *, began_ns, deadline_ns = None))]
    fn resume(
        policy: Instance<'_, '_, Policy>,
        stream: Instance<'_, '_, RandomStream>,
        retries: Retries,
        began_ns: Began,
        deadline_ns: Option<Deadline>,
    ) -> Self {
        let state = backoff_core::Operation::resume(
            policy.0.get().0,
            stream.0.get().0,
            retries.0,
            began_ns.0,
            deadline_ns.map(|deadline| deadline.0),
        );
        Self { state: Mutex::new(state), budget: None }
    }

    /// Whether to wait or to stop after an attempt with this outcome, a Decision.
    ///
    /// The outcome is an Outcome or its name: "success", "transient", "throttled", "timeout" or
    /// "permanent". The retry_after is how long the server asked to wait, such as
    /// parse_retry_after() returns, a duration as for a policy; None if it did not ask. A negative
    /// one counts as 0, like a date in the past. The policy's retry_after_max (1 h by default) and
    /// retry_after_max_extra bound it.
    ///
    /// The delay is one of the caller's own, a duration as for a policy, in place of that of the
    /// policy (SPEC 13.9): jitter, cap and floor do not change it, but a retry_after and the limits
    /// hold. None leaves the delay to the policy.
    ///
    /// Raises PolicyError for an unknown outcome, a time out of range, an invalid retry_after and
    /// an invalid delay; the operation is unchanged then.
    #[pyo3(signature = (outcome, *, now_ns, retry_after = None, delay = None))]
    fn decide(
        &self,
        outcome: OutcomeArgument,
        now_ns: Now,
        retry_after: Option<RetryAfter>,
        delay: Option<OwnDelay>,
    ) -> Decision {
        let retry_after_ns = retry_after.map(|retry_after| retry_after.0);
        let (mut state, budget) = (self.state(), self.budget());
        let decision = match delay {
            None => state.decide(outcome.0, retry_after_ns, now_ns.0, budget),
            Some(own) => {
                state.decide_with_delay(outcome.0, retry_after_ns, own.0, now_ns.0, budget)
            }
        };
        decision.into()
    }

    /// The same, without names of arguments, which would take a third of the time.
    #[pyo3(signature = (outcome, now_ns, retry_after, delay = None, /))]
    fn _decide(
        &self,
        outcome: OutcomeArgument,
        now_ns: Now,
        retry_after: Option<RetryAfter>,
        delay: Option<OwnDelay>,
    ) -> Decision {
        self.decide(outcome, now_ns, retry_after, delay)
    }

    /// How long an attempt that begins now may take, in nanoseconds (SPEC 13.10): the policy's
    /// attempt_timeout, or what is left until max_elapsed or the deadline ends, if that is less.
    /// None without an attempt_timeout. An end that has passed does not count.
    fn attempt_limit_ns(&self, now_ns: Now) -> Option<u64> {
        self.state().attempt_limit_ns(now_ns.0)
    }

    /// How long an attempt that begins now has left, in nanoseconds (SPEC 13.11); None without an end.
    fn _time_left_ns(&self, now_ns: Now) -> Option<u64> {
        self.state().time_left_ns(now_ns.0)
    }

    /// The index of the delay if the attempt fails now: the retries so far, or 0 if the count begins
    /// anew because the attempt ran for reset_after (SPEC 13.9).
    fn retry_index(&self, now_ns: Now) -> u64 {
        self.state().retry_index(now_ns.0)
    }

    /// Cancels the operation, at any time, even during a wait. Returns the stop reason: that of
    /// the earlier stop if it had already stopped, otherwise "cancelled". During a wait, the
    /// attempt after it counts as made, and a quota, ratio, rate or ttl budget refunds nothing
    /// for it.
    fn cancel<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let reason = self.state().cancel(self.budget());
        member(py, reason)
    }

    /// Refuses the retry that it has just decided to wait for, for a budget that is kept elsewhere
    /// (SPEC 13.8): the retry does not count, and the operation stops. Returns the stop reason:
    /// "budget", or that of the earlier stop if it had already stopped.
    fn refuse_retry<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let reason = self.state().refuse_retry(self.budget());
        member(py, reason)
    }

    /// The retries granted so far.
    #[getter]
    fn retries(&self) -> u64 {
        self.state().retries()
    }

    /// The attempts, including the one in progress or being waited for.
    #[getter]
    fn attempts(&self) -> u64 {
        self.state().attempts()
    }

    /// Why it stopped, a StopReason; None while it goes on.
    #[getter]
    fn reason<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let reason = self.state().reason();
        reason.map(|reason| member(py, reason)).transpose()
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyAny>) {
        self.state().cancel(self.budget());
    }

    fn __repr__(&self) -> String {
        let state = self.state();
        let how = state.reason().map_or("goes on", StopReason::name);
        format!("<Operation at attempt {}: {how}>", state.attempts())
    }
}

impl Operation {
    fn begin(
        policy: Instance<'_, '_, Policy>,
        stream: backoff_core::RandomStream,
        now_ns: Now,
        deadline_ns: Option<Deadline>,
        budget: Option<Instance<'_, '_, Budget>>,
    ) -> Self {
        let budget = budget.map(|budget| budget.0.to_owned().unbind());
        let state = backoff_core::Operation::begin(
            policy.0.get().0,
            stream,
            now_ns.0,
            deadline_ns.map(|deadline| deadline.0),
            of(budget.as_ref()),
        );
        Self { state: Mutex::new(state), budget }
    }

    /// No Python runs while it is locked.
    fn state(&self) -> MutexGuard<'_, backoff_core::Operation> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn budget(&self) -> Option<&backoff_core::Budget> {
        of(self.budget.as_ref())
    }
}

impl Drop for Operation {
    /// Python may free it while the interpreter ends: nothing of Python runs here.
    fn drop(&mut self) {
        let budget = of(self.budget.as_ref());
        self.state.get_mut().unwrap_or_else(PoisonError::into_inner).cancel(budget);
    }
}

fn of(budget: Option<&Py<Budget>>) -> Option<&backoff_core::Budget> {
    budget.map(|budget| &budget.get().0)
}

/// An operation that a loop begins, without the dictionary of a call with keywords. Without a
/// stream it takes that of the next loop (SPEC 18.1).
#[pyfunction]
pub(crate) fn _begin(
    policy: Instance<'_, '_, Policy>,
    stream: Option<Instance<'_, '_, RandomStream>>,
    now_ns: Now,
    deadline_ns: Option<Deadline>,
    budget: Option<Instance<'_, '_, Budget>>,
) -> PyResult<Operation> {
    let stream = match stream {
        Some(stream) => stream.0.get().0,
        None => process::next_loop_stream()?,
    };
    Ok(Operation::begin(policy, stream, now_ns, deadline_ns, budget))
}

// The functions below check what the loops are passed before an Operation is. They take any object:
// PyO3 adds a note about itself to the error of an argument that it converts.

/// The deadline itself, if an Operation would accept it.
#[pyfunction]
pub(crate) fn _checked_deadline_ns(deadline_ns: &Bound<'_, PyAny>) -> PyResult<u64> {
    Ok(deadline_ns.extract::<Deadline>()?.0)
}

/// The reading of a loop's clock itself, if an Operation would accept it.
#[pyfunction]
pub(crate) fn _checked_clock_ns(now_ns: &Bound<'_, PyAny>) -> PyResult<u64> {
    Ok(now_ns.extract::<Clock>()?.0)
}

/// The time itself, if a fake clock can advance by it.
#[pyfunction]
pub(crate) fn _checked_time_ns(time_ns: &Bound<'_, PyAny>) -> PyResult<u64> {
    Ok(time_ns.extract::<Time>()?.0)
}

/// The delays themselves, as a tuple, if an Operation would accept each.
#[pyfunction]
pub(crate) fn _checked_delays<'py>(delays: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
    let checked = delays.try_iter()?.map(|delay| {
        let delay = delay?;
        duration::nanoseconds("delays", &delay)?;
        Ok(delay)
    });
    PyTuple::new(delays.py(), checked.collect::<PyResult<Vec<_>>>()?)
}

/// The retry_after itself if an Operation would accept it with this outcome. Whoever makes a verdict is
/// handling a failure, which must not be lost for a number: a negative one, and one that rounds to
/// 0 ns, is 0; infinity is the longest there is; NaN is none.
#[pyfunction]
pub(crate) fn _checked_retry_after<'py>(
    outcome: &Bound<'py, PyAny>,
    retry_after: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    outcome.extract::<OutcomeArgument>()?;
    if retry_after.is_none() {
        return Ok(retry_after);
    }
    let py = retry_after.py();
    let seconds = match RetryAfter::unless_negative(&retry_after) {
        Ok(Some(_)) => return Ok(retry_after),
        Ok(None) => 0,
        Err(error) if errors::has_code(py, &error, "too_small") => 0,
        Err(error) if errors::has_code(py, &error, "not_finite") => {
            match retry_after.extract::<f64>() {
                Ok(number) if number > 0.0 => MAX_NS / 1_000_000_000 + 1,
                Ok(number) if number < 0.0 => 0,
                _ => return Ok(py.None().into_bound(py)),
            }
        }
        Err(error) => return Err(error),
    };
    Ok(seconds.into_pyobject(py)?.into_any())
}
