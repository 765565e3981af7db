//! One exchange with a store, as a hook sees it.

use std::error::Error;
use std::sync::Arc;

use backoff_core::ExchangeStep;

/// One exchange of a [`SharedBudget`](crate::SharedBudget) with its store, as
/// [`on_exchange`](crate::SharedBudgetBuilder::on_exchange) receives it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BudgetExchange {
    /// The text that was loaded; `None` if there was none, or if the load failed.
    pub before: Option<String>,
    /// The time of the store in nanoseconds since 1970; 0 if the load failed.
    pub now_ns: u64,
    /// What the process told the store and asked for, in order.
    pub steps: Vec<ExchangeStep>,
    /// The text after the steps; empty if there were none, because the exchange failed before.
    pub after: String,
    /// Whether the store has `after`.
    pub stored: SwapOutcome,
    /// Why the exchange failed; `None` if it did not.
    pub error: Option<Arc<dyn Error + Send + Sync>>,
}

/// Whether a store has the text after a [`BudgetExchange`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SwapOutcome {
    /// The store swapped it.
    Yes,
    /// The steps changed nothing, so there was nothing to store.
    Unchanged,
    /// Other processes were faster until the timeout.
    Lost,
    /// The store did not say whether it swapped it.
    Unknown,
    /// The load failed, or the text is no account of the budget.
    No,
}
