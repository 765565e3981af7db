use backoff_core::ffi::{BUDGET_EVENTS, budget_event, budget_event_number};
use backoff_core::{BudgetEvent, BudgetMember, Fallback, MemberAnswer, Outcome, SteppedState};
use pyo3::prelude::*;

use crate::arguments::{Held, Instance, Now};
use crate::budget::{self, Budget};
use crate::enums::{EventArgument, OutcomeArgument};

/// What a process knows of a shared budget: a state machine without I/O and without a clock (SPEC
/// 15.7). SharedBudget keeps one behind its lock.
#[pyclass(module = "backoff_rs._backoff")]
pub(crate) struct _Member(BudgetMember);

/// A step of an exchange: its event and outcome, what the operation held, how often it happened, and
/// how many retries were granted.
type Step = (&'static str, Option<&'static str>, u64, u64, Option<u64>);

#[pymethods]
impl _Member {
    #[new]
    fn new(
        budget: Instance<'_, '_, Budget>,
        local: Instance<'_, '_, Budget>,
        lease: u64,
        fallback: u64,
        timeout_ns: u64,
        seed: u64,
    ) -> Self {
        let [budget, local] = [&budget.0.get().0, &local.0.get().0];
        let fallback = Fallback::from_number(fallback).unwrap_or(Fallback::Share);
        Self(BudgetMember::new(budget, local, lease, fallback, timeout_ns, seed))
    }

    fn note(&mut self, event: EventArgument, held: Held, is_local: bool, now_ns: Now) {
        if let Some(event) = budget_event(event.0, Outcome::Transient, held.0) {
            self.0.note(event, is_local, now_ns.0);
        }
    }

    /// Whether the retry is granted, what the operation then holds, and whether the local budget
    /// decided; None if the request waits.
    fn request(&mut self, outcome: OutcomeArgument, now_ns: Now) -> Option<(bool, u64, bool)> {
        match self.0.request(outcome.0, now_ns.0) {
            MemberAnswer::Granted { held, is_local } => Some((true, held, is_local)),
            MemberAnswer::Refused => Some((false, 0, true)),
            MemberAnswer::Waits => None,
        }
    }

    fn cancel(&mut self, outcome: OutcomeArgument) {
        self.0.cancel(outcome.0);
    }

    fn is_away(&self, now_ns: Now) -> bool {
        self.0.is_away(now_ns.0)
    }

    fn due_in(&self, now_ns: Now) -> Option<u64> {
        self.0.due_in(now_ns.0)
    }

    fn has_unsent(&self) -> bool {
        self.0.has_unsent()
    }

    fn timeout_ns(&self) -> u64 {
        self.0.timeout_ns()
    }

    /// By name.
    fn stats(&self) -> [(&'static str, u64); 5] {
        let stats = self.0.stats();
        [
            ("exchanges", stats.exchanges),
            ("failed_exchanges", stats.failed_exchanges),
            ("lost_swaps", stats.lost_swaps),
            ("local_decisions", stats.local_decisions),
            ("processes", stats.processes),
        ]
    }

    fn begin(&mut self, now_ns: Now) {
        self.0.begin(now_ns.0);
    }

    /// The text after the steps, and whether it differs; None if the text is no state.
    fn step(&mut self, text: Option<&str>, store_ns: Now) -> Option<(String, bool)> {
        let (state, is_changed) = match self.0.step(text.map(str::as_bytes), store_ns.0)? {
            SteppedState::Unchanged(state) => (state, false),
            SteppedState::Changed(state) => (state, true),
        };
        Some((state.to_string(), is_changed))
    }

    /// What a text of the store leaves, a BudgetLevel; None if the text is no state.
    fn level<'py>(
        &self,
        py: Python<'py>,
        text: Option<&str>,
        store_ns: Now,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let level = self.0.level(text.map(str::as_bytes), store_ns.0);
        level.map(|level| budget::level(py, level)).transpose()
    }

    fn steps(&self) -> Vec<Step> {
        let shown = |step: backoff_core::ExchangeStep| {
            let place = budget_event_number(step.event).wrapping_sub(1) as usize;
            let event = BUDGET_EVENTS.get(place).copied().unwrap_or_default();
            match step.event {
                BudgetEvent::RetryRequested { outcome } => {
                    (event, Some(outcome.name()), 0, step.count, Some(step.granted))
                }
                BudgetEvent::OperationSucceeded { held } => (event, None, held, step.count, None),
                _ => (event, None, 0, step.count, None),
            }
        };
        self.0.steps().map(shown).collect()
    }

    /// For each outcome that is retried, how many requests are granted and how many refused, and what
    /// the operation of a granted one holds.
    fn stored(&mut self, now_ns: Now) -> Vec<(&'static str, u64, u64, u64)> {
        let answers = self.0.stored(now_ns.0);
        let row = |outcome: Outcome| {
            let granted = answers.granted(outcome);
            (outcome.name(), granted, answers.refused(outcome), answers.held(outcome))
        };
        [Outcome::Transient, Outcome::Throttled, Outcome::Timeout].map(row).into()
    }

    /// The wait in nanoseconds; None if the exchange has failed.
    fn lost(&mut self, now_ns: Now) -> Option<u64> {
        self.0.lost(now_ns.0)
    }

    fn failed(&mut self, may_be_stored: bool, now_ns: Now) {
        self.0.failed(may_be_stored, now_ns.0);
    }

    fn late(&mut self, now_ns: Now) {
        self.0.late(now_ns.0);
    }
}
