//! The events that change the state of a budget (SPEC 15.3).

use crate::decision::outcome::Outcome;

/// What happens to the account of a budget: the transitions of SPEC 15.3. An operation that a
/// caller runs by hand reports them in the order of SPEC 13.4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BudgetEvent {
    /// An operation begins.
    OperationBegan,
    /// An attempt is over. `held` is what the last granted retry of the operation gave, or 0.
    AttemptOver {
        /// The tokens or slots that the operation holds.
        held: u64,
    },
    /// An attempt has failed, and the failure is not permanent.
    AttemptFailed,
    /// A retry is requested. The only event that the budget answers.
    RetryRequested {
        /// The outcome of the attempt that would be retried.
        outcome: Outcome,
    },
    /// An operation has succeeded. `held` is what its last granted retry gave, or 0.
    OperationSucceeded {
        /// The tokens or slots that the operation holds.
        held: u64,
    },
    /// An operation has ended, for whatever reason.
    OperationEnded,
}
