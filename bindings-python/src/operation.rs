use std::sync::{Mutex, MutexGuard, PoisonError};

use backoff_core::StopReason;
use pyo3::prelude::*;

use crate::arguments::{Deadline, Given, Hint, Now, Outcome};
use crate::budget::Budget;
use crate::decision::Decision;
use crate::names::member;
use crate::policy::Policy;
use crate::stream::Stream;

/// What a caller attempts until it succeeds or is given up: told how each attempt ended, it
/// answers whether to wait and how long, or why to stop (SPEC 13).
///
/// Operation(policy, stream, *, now_ns, deadline_ns=None, budget=None): it begins now. Times
/// are nanoseconds, 0 to 2**64 - 1, of any clock that does not go back, such as
/// time.monotonic_ns(): the same one for all operations on a budget. It never sleeps and reads
/// no clock. Whoever shares a stream waits the same: give each operation a key of its own, or
/// Stream.from_entropy().
///
/// In a with statement it is cancelled at the end, if it has not stopped by then, so that the
/// budget hears of it.
///
/// Threads may share one: each answer is given as a whole. It can be neither copied nor
/// pickled.
///
/// Raises PolicyError for a time out of range.
#[pyclass(frozen, module = "backoff_rs")]
pub(crate) struct Operation {
    state: Mutex<backoff_core::Operation>,
    budget: Option<Py<Budget>>,
}

#[pymethods]
impl Operation {
    #[new]
    #[pyo3(signature = (policy, stream, *, now_ns, deadline_ns = None, budget = None))]
    fn new(
        policy: Given<'_, '_, Policy>,
        stream: Given<'_, '_, Stream>,
        now_ns: Now,
        deadline_ns: Option<Deadline>,
        budget: Option<Given<'_, '_, Budget>>,
    ) -> Self {
        let budget = budget.map(|budget| budget.0.to_owned().unbind());
        let state = backoff_core::Operation::begin(
            policy.0.get().0,
            stream.0.get().0,
            now_ns.0,
            deadline_ns.map(|deadline| deadline.0),
            of(budget.as_ref()),
        );
        Self { state: Mutex::new(state), budget }
    }

    /// What to do after an attempt that ended so: a Decision.
    ///
    /// The outcome is an Outcome or its name: "success", "transient", "throttled", "timeout" or
    /// "permanent". The hint is how long the server asked to wait, a duration as for a policy,
    /// such as parse_retry_after() gives; None is no hint. Only the policy's hint_max and
    /// hint_max_extra bound it.
    ///
    /// Raises PolicyError for an unknown outcome, a time out of range and a hint that is no
    /// duration; then nothing has changed.
    #[pyo3(signature = (outcome, *, now_ns, hint = None))]
    fn decide(&self, outcome: Outcome, now_ns: Now, hint: Option<Hint>) -> Decision {
        let hint_ns = hint.map(|hint| hint.0);
        self.state().decide(outcome.0, hint_ns, now_ns.0, self.budget()).into()
    }

    /// Gives up, at any time, also while a wait goes on. Returns why the operation stopped:
    /// now, "cancelled", or before. While a wait goes on, the attempt that was waited for counts
    /// as one, and a budget of kind quota, ratio, rate or ttl gets back nothing for it.
    fn cancel<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let reason = self.state().cancel(self.budget());
        member(py, reason)
    }

    /// The waits answered so far.
    #[getter]
    fn retries(&self) -> u64 {
        self.state().retries()
    }

    /// The attempts, with the one that goes on or for which a wait goes on.
    #[getter]
    fn attempts(&self) -> u64 {
        self.state().attempts()
    }

    /// Why it stopped, a StopReason; None while it goes on.
    #[getter]
    fn reason<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let stopped = self.state().stopped();
        stopped.map(|reason| member(py, reason)).transpose()
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
        let how = state.stopped().map_or("goes on", StopReason::name);
        format!("<Operation at attempt {}: {how}>", state.attempts())
    }
}

impl Operation {
    /// How it stands. No Python runs while it is locked.
    fn state(&self) -> MutexGuard<'_, backoff_core::Operation> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn budget(&self) -> Option<&backoff_core::Budget> {
        of(self.budget.as_ref())
    }
}

fn of(budget: Option<&Py<Budget>>) -> Option<&backoff_core::Budget> {
    budget.map(|budget| &budget.get().0)
}
