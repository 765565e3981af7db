use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use backoff_core::Outcome;
use backoff_core::ffi::budget_event;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::arguments::{self, Held, Instance, Now};
use crate::budget::{self, Budget};
use crate::enums::{EventArgument, OutcomeArgument};
use crate::errors::{self, class};

/// The number of `retry_requested`.
const RETRY_REQUESTED: u32 = 4;

/// The state of a budget as a value that a store can keep (SPEC 15.5, 15.6). Each step is a pure
/// function of the state, an event and the time: with a store that compares and swaps, many
/// processes share one budget. SharedBudget does that.
///
/// BudgetState.full(budget) begins, str() is the text to store, and BudgetState.parse(budget, text)
/// reads it.
///
/// A value: frozen, hashable, comparable, picklable.
#[pyclass(frozen, eq, weakref, module = "backoff_rs")]
#[derive(PartialEq, Eq)]
pub(crate) struct BudgetState {
    state: backoff_core::BudgetState,
    /// The budget string, for a pickle.
    budget: Arc<str>,
}

#[pymethods]
impl BudgetState {
    // As for Budget.
    #[new]
    #[pyo3(signature = (*_arguments, **_keywords), text_signature = None)]
    fn new(
        _arguments: &Bound<'_, PyTuple>,
        _keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let why = "BudgetState has no constructor; BudgetState.full(budget) and \
                   BudgetState.parse(budget, text) make one";
        Err(PyTypeError::new_err(why))
    }

    /// The state of a full budget with the configuration of this one, at version 0.
    #[staticmethod]
    fn full(budget: Instance<'_, '_, Budget>) -> Self {
        let budget = &budget.0.get().0;
        let state = backoff_core::BudgetState::full(budget);
        Self { state, budget: budget.to_string().into() }
    }

    /// The state of such a budget that has this text.
    ///
    /// Raises PolicyError with the code "not_a_state" for any text but that of a state.
    #[staticmethod]
    fn parse(budget: Instance<'_, '_, Budget>, text: &Bound<'_, PyAny>) -> PyResult<Self> {
        let utf8 = arguments::utf8("text", "a str", text)?;
        let budget = &budget.0.get().0;
        let state = backoff_core::BudgetState::parse(budget, &utf8).ok_or_else(|| {
            let why = format!("is not a state of the budget {budget}");
            errors::invalid("not_a_state", "text", text, 0, &why)
        })?;
        Ok(Self { state, budget: budget.to_string().into() })
    }

    /// The state of a pickle.
    #[staticmethod]
    fn _restore(budget: &Bound<'_, PyAny>, text: &Bound<'_, PyAny>) -> PyResult<Self> {
        let parsed = arguments::parsed(budget, |utf8| backoff_core::Budget::parse(utf8))?;
        let budget = Bound::new(budget.py(), Budget(parsed))?;
        Self::parse(Instance(budget.as_borrowed()), text)
    }

    /// What an event does, a BudgetTransition: the state after it, whether it granted a retry, and what
    /// the operation then holds of the budget.
    ///
    /// The event is a BudgetEvent or its name. "retry_requested" needs the outcome of the attempt
    /// that would be repeated. Any outcome counts as it is, and may be granted: an Operation asks
    /// after "transient", "throttled" and "timeout" only. "attempt_over" and "operation_succeeded" need held: what the last
    /// granted retry of the operation gave, or 0. Times are nanoseconds of one clock, such as that
    /// of the store; a time before an earlier one counts as the earlier one.
    ///
    /// Raises PolicyError for an unknown event or outcome and a number out of range; TypeError for
    /// "retry_requested" without an outcome.
    #[pyo3(
        signature = (event, *, now_ns, outcome = None, held = Held(0)),
        text_signature = "($self, event, *, now_ns, outcome=None, held=0)"
    )]
    fn step<'py>(
        &self,
        py: Python<'py>,
        event: EventArgument,
        now_ns: Now,
        outcome: Option<OutcomeArgument>,
        held: Held,
    ) -> PyResult<Bound<'py, PyAny>> {
        if event.0 == RETRY_REQUESTED && outcome.is_none() {
            return Err(PyTypeError::new_err("retry_requested needs an outcome"));
        }
        let outcome = outcome.map_or(Outcome::Transient, |outcome| outcome.0);
        // Every event that has a name has a number.
        let (after, granted) = budget_event(event.0, outcome, held.0)
            .map_or((self.state, None), |event| self.state.step(event, now_ns.0));
        let transition = class!(py, "backoff_rs._budget_store", "BudgetTransition")?;
        let after = Self { state: after, budget: self.budget.clone() };
        transition.call1((after, granted.is_some(), granted.unwrap_or_default()))
    }

    /// What is left at a time of the clock of the steps, a BudgetLevel, for a gauge (SPEC 15.9).
    ///
    /// Raises PolicyError for a time out of range.
    fn level<'py>(&self, py: Python<'py>, now_ns: Now) -> PyResult<Bound<'py, PyAny>> {
        budget::level(py, self.state.level(now_ns.0))
    }

    /// The number of changes since the budget was full, modulo 2**64.
    #[getter]
    fn version(&self) -> u64 {
        self.state.version()
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.state.text().as_str().hash(&mut hasher);
        hasher.finish()
    }

    fn __str__(&self) -> String {
        self.state.to_string()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String, String))> {
        let restore = py.get_type::<Self>().getattr("_restore")?;
        Ok((restore, (self.budget.to_string(), self.__str__())))
    }

    fn __repr__(&self) -> String {
        format!("<BudgetState {}>", self.state)
    }
}
