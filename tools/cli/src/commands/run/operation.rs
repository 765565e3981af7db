//! The operation of this process, and its budget: one of this process alone, or one in a file.

use std::sync::Arc;

use anyhow::Result;
use backoff_core::{Budget, BudgetEvent, Decision, Operation, Outcome, RandomStream, StopReason};

use super::end::Failure;
use super::arguments::Arguments;
use super::budget_file::BudgetFile;
use super::system::System;

pub(super) struct BudgetedOperation {
    operation: Operation,
    budget: Option<Arc<Budget>>,
    /// The file and what the operation holds of the budget in it.
    file: Option<(BudgetFile, u64)>,
}

impl BudgetedOperation {
    pub(super) fn begin(
        arguments: &Arguments,
        stream: RandomStream,
        system: &impl System,
    ) -> Result<Self, Failure> {
        let mut budget = arguments.budget.as_ref().map(|budget| Arc::clone(&budget.budget));
        let mut file = None;
        if let (Some(path), Some(shared)) = (&arguments.budget_file, &budget) {
            let mut opened = BudgetFile::new(path, shared);
            opened.exchange(Some(BudgetEvent::OperationBegan), None, system)?;
            (budget, file) = (None, Some((opened, 0)));
        }
        let policy = arguments.limited_policy();
        let operation = Operation::begin(policy, stream, system.now_ns(), None, budget.as_deref());
        Ok(Self { operation, budget, file })
    }

    pub(super) fn attempt_limit_ns(&self, system: &impl System) -> Option<u64> {
        self.operation.attempt_limit_ns(system.now_ns())
    }

    pub(super) fn decide(
        &mut self,
        outcome: Outcome,
        retry_after_ns: Option<u64>,
        system: &impl System,
    ) -> Result<Decision, Failure> {
        let Self { operation, budget, file } = self;
        let decision =
            operation.decide(outcome, retry_after_ns, system.now_ns(), budget.as_deref());
        let Some((file, held)) = file else { return Ok(decision) };
        let event = match outcome {
            Outcome::Success => Some(BudgetEvent::OperationSucceeded { held: *held }),
            Outcome::Permanent => None,
            _ => Some(BudgetEvent::AttemptFailed),
        };
        // The budget comes last, so nothing is spent on an attempt that is not made.
        let request = decision.stop_reason().is_none().then_some(outcome);
        match (file.exchange(event, request, system)?, request) {
            (Some(granted), _) => *held = granted,
            (None, Some(_)) => {
                let (reason, delay_ns) = (StopReason::Budget, decision.delay_ns());
                return Ok(Decision::Stop { reason, delay_ns });
            }
            (None, None) => {}
        }
        Ok(decision)
    }
}
