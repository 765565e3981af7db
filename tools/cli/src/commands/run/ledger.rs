//! The operation of this process and its budget, wherever the budget is.

use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use backoff_core::{Budget, Decision, Operation, Outcome, Policy, RandomStream};

use super::arguments::Arguments;
use super::budget_file::{BudgetFile, Member};
use super::failure::Failure;
use super::signals::Signals;

/// A budget, and the clock of its operations.
enum Account<'a> {
    /// In this process alone, or none.
    Own(Option<Arc<Budget>>, Instant),
    Shared(BudgetFile<'a>, Member),
}

/// The operation and its budget.
pub(super) struct Ledger<'a> {
    operation: Operation,
    account: Account<'a>,
}

impl<'a> Ledger<'a> {
    /// Begins the operation.
    pub(super) fn begin(
        arguments: &'a Arguments,
        stream: RandomStream,
        signals: &'a Signals,
    ) -> Result<Self, Failure> {
        let policy: Policy = arguments.policy.policy;
        if let (Some(path), Some(budget)) = (&arguments.budget_file, &arguments.budget) {
            let mut file = BudgetFile::open(path, budget, signals)?;
            let (operation, member) = file.begin(policy, stream)?;
            return Ok(Self { operation, account: Account::Shared(file, member) });
        }
        let budget = arguments.budget.as_ref().map(|budget| Arc::clone(&budget.budget));
        let operation = Operation::begin(policy, stream, 0, None, budget.as_deref());
        Ok(Self { operation, account: Account::Own(budget, Instant::now()) })
    }

    /// Decides after an attempt.
    pub(super) fn decide(
        &mut self,
        outcome: Outcome,
        retry_after_ns: Option<u64>,
    ) -> Result<Decision, Failure> {
        let operation = &mut self.operation;
        match &mut self.account {
            Account::Own(budget, began) => {
                let now_ns = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
                Ok(operation.decide(outcome, retry_after_ns, now_ns, budget.as_deref()))
            }
            Account::Shared(file, member) => {
                file.change(operation, member, |operation, now_ns, budget| {
                    operation.decide(outcome, retry_after_ns, now_ns, Some(budget))
                })
            }
        }
    }

    /// Cancels the operation. If that fails, the next process that uses the file does it.
    pub(super) fn cancel(&mut self) {
        let operation = &mut self.operation;
        match &mut self.account {
            Account::Own(budget, _) => _ = operation.cancel(budget.as_deref()),
            Account::Shared(file, member) => file.cancel(operation, member),
        }
    }
}
