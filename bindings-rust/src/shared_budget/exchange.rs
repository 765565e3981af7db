//! One exchange with a store, as a hook sees it, and why it may fail.

use std::error::Error;
use std::fmt;

use backoff_core::ExchangeStep;

/// One exchange of a [`SharedBudget`](crate::SharedBudget) with its store, as
/// [`on_exchange`](crate::SharedBudgetBuilder::on_exchange) receives it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BudgetExchange {
    /// The text that was stored; `None` if there was none, which is a full budget.
    pub before: Option<String>,
    /// The time of the store in nanoseconds since 1970.
    pub now_ns: u64,
    /// What the process told the store and asked for, in order.
    pub steps: Vec<ExchangeStep>,
    /// The text of the state after the steps.
    pub after: String,
    /// Whether the store has `after`.
    pub stored: WasStored,
}

/// Whether a store has the state after a [`BudgetExchange`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WasStored {
    /// The store swapped it.
    Yes,
    /// The steps changed nothing, so there was nothing to store.
    Unchanged,
    /// Another process was faster, and the time for another try is over.
    Lost,
    /// The store did not say in time whether it swapped it.
    Unknown,
}

/// So many characters of a text an error quotes.
const MOST_QUOTED: usize = 100;

/// A stored text that is not the state of the budget.
#[derive(Debug)]
pub(super) struct NotAState {
    pub(super) key: String,
    pub(super) text: String,
}

impl fmt::Display for NotAState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, text } = self;
        // A text that something else has written may have any length.
        let shown: String = text.chars().take(MOST_QUOTED).collect();
        let dots = if shown.len() < text.len() { "..." } else { "" };
        write!(
            f,
            "under the key {key:?} the store has {shown:?}{dots}, which is not the state of this budget"
        )
    }
}

impl Error for NotAState {}

/// Every try was lost to another process.
#[derive(Debug)]
pub(super) struct AlwaysLost;

impl fmt::Display for AlwaysLost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("other processes changed the state in every try before the timeout")
    }
}

impl Error for AlwaysLost {}
