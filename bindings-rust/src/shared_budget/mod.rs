//! One budget for many processes: a store keeps its state, and every process steps it.

mod builder;
mod exchange;
mod pending;
mod store;
mod swap;
mod ticket;
mod worker;

use std::error::Error;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;
use std::time::Duration;

use backoff_core::{BudgetEvent, BudgetLevel, Fallback, Outcome, SharedBudgetStats};

use crate::shared_budget::worker::Inner;

pub use builder::{SharedBudgetBuilder, SharedBudgetError};
pub use exchange::{BudgetExchange, SwapOutcome};
pub(crate) use pending::{Answer, Reservation};
pub use store::{BudgetStore, StoreError, Stored};
pub(crate) use ticket::Ticket;

/// A budget that many processes share, in any language of this project: a store keeps its state.
///
/// [`Retry::shared_budget`](crate::Retry::shared_budget) uses it. A handle is cheap to clone. One
/// thread, which starts at the first request, talks to the store, and all requests that arrive
/// meanwhile go together. A loop waits for the store at most for the
/// [`timeout`](SharedBudgetBuilder::timeout). If the store does not answer, fails, or has what is
/// not a state, a local budget decides for a second, and
/// [`RetryEvent::budget_is_local`](crate::RetryEvent::budget_is_local) says so. Each process then
/// grants its share ([`fallback`](SharedBudgetBuilder::fallback)).
///
/// What asks for nothing, such as a success, is counted, and goes with the next request, or when 100
/// events are counted, or with one that comes 30 s later. What was not sent when the last handle goes
/// is lost: call [`flush`](Self::flush) before that. While the store is away, at most 100 of each kind
/// are kept.
///
/// After a fork, the child must make budgets of its own.
#[derive(Clone)]
pub struct SharedBudget(Arc<Handle>);

// A panic of a hook or a store leaves what is pending as it was.
impl UnwindSafe for SharedBudget {}
impl RefUnwindSafe for SharedBudget {}

/// Ends the threads when the last handle goes.
struct Handle(Arc<Inner>);

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl SharedBudget {
    /// A shared budget with a name and a budget string (SPEC 15), kept in a store. Processes share
    /// one account if they have the same store, name and budget.
    ///
    /// ```
    /// use backoff_retry::{BudgetStore, SharedBudget, SharedBudgetError};
    /// fn budget(store: impl BudgetStore) -> Result<SharedBudget, SharedBudgetError> {
    ///     SharedBudget::builder(store, "orders", "ratio:ratio=20%").lease(5).build()
    /// }
    /// ```
    pub fn builder(
        store: impl BudgetStore,
        name: impl Into<String>,
        budget: impl Into<String>,
    ) -> SharedBudgetBuilder {
        SharedBudgetBuilder {
            store: Box::new(store),
            name: name.into(),
            budget: budget.into(),
            local_budget: None,
            fallback: Fallback::Share,
            lease: 1,
            timeout: Duration::from_millis(100),
            hook: Arc::new(|_| {}),
        }
    }

    /// The key under which the store has the state: `backoff:`, the name, `:`, and the canonical
    /// budget string, so that another configuration begins another account.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.inner().key
    }

    /// Sends what the store does not know. Returns whether nothing is left to send. Call it before a
    /// process ends.
    ///
    /// It blocks this thread until the store and the hook are done, at most for 2 s, or twice a longer
    /// timeout. It also asks a store that is away. What could not be sent is sent later. In
    /// [`on_exchange`](SharedBudgetBuilder::on_exchange), whose thread it would wait for, it returns false
    /// at once.
    #[expect(clippy::must_use_candidate, reason = "a process that ends may not care")]
    pub fn flush(&self) -> bool {
        self.inner().flush()
    }

    /// What the account in the store has left, for a gauge (SPEC 15.9): without what this process has not
    /// sent yet. It changes nothing.
    ///
    /// It blocks this thread until the store has answered, at most for 2 s, or twice a longer timeout. It also
    /// asks a store that is away.
    ///
    /// # Errors
    /// That of the store; a text that is no state of the budget; a store that does not answer in time; and a call
    /// in [`on_exchange`](SharedBudgetBuilder::on_exchange), whose thread it would wait for.
    pub fn level(&self) -> Result<BudgetLevel, StoreError> {
        self.inner().level()
    }

    /// The latest error of the store, or panic of the hook; `None` if there was none. It stays when the
    /// store is back.
    #[must_use]
    pub fn last_error(&self) -> Option<Arc<dyn Error + Send + Sync>> {
        self.inner().with(|pending, _| pending.last_error())
    }

    /// What this process has exchanged with the store, for metrics.
    #[must_use]
    pub fn stats(&self) -> SharedBudgetStats {
        self.inner().with(|pending, _| pending.member.stats())
    }

    fn inner(&self) -> &Arc<Inner> {
        &self.0.0
    }

    /// Notes that an operation began, or that an attempt failed.
    pub(crate) fn note(&self, event: BudgetEvent) {
        self.inner().note(event, false);
    }

    pub(crate) fn operation_succeeded(&self, held: Reservation) {
        let event = BudgetEvent::OperationSucceeded { held: held.tokens };
        self.inner().note(event, held.is_local);
    }

    /// Requests a retry. Returns the answer, or what waits for it.
    pub(crate) fn request(&self, outcome: Outcome) -> Result<Answer, Ticket> {
        let wait = |(id, until)| Ticket::new(Arc::clone(self.inner()), id, until);
        self.inner().request(outcome).map_err(wait)
    }
}

impl From<&Self> for SharedBudget {
    fn from(budget: &Self) -> Self {
        budget.clone()
    }
}

impl fmt::Debug for SharedBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SharedBudget").field(&self.key()).finish()
    }
}
