//! Asking the store: load, step and swap, until it has the steps.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use backoff_core::SteppedState;

use crate::shared_budget::exchange::{AlwaysLost, BudgetExchange, NotAState, SwapOutcome};
use crate::shared_budget::store::{BudgetStore, StoreError, Stored};
use crate::shared_budget::worker::{Inner, caught};

/// A function of the caller's panicked.
#[derive(Debug)]
struct Panicked {
    what: &'static str,
    message: String,
}

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {} panicked: {}", self.what, self.message)
    }
}

impl Error for Panicked {}

impl Inner {
    /// Loads and swaps until the store has the steps, or the exchange has failed.
    pub(super) fn exchange(&self, store: &mut dyn BudgetStore) -> BudgetExchange {
        loop {
            let mut exchange = BudgetExchange {
                before: None,
                now_ns: 0,
                steps: Vec::new(),
                after: String::new(),
                stored: SwapOutcome::No,
                error: None,
            };
            match self.attempt(store, &mut exchange) {
                Ok(None) => {}
                Ok(Some(wait_ns)) => {
                    thread::sleep(Duration::from_nanos(wait_ns));
                    continue;
                }
                Err(error) => exchange.error = Some(error.into()),
            }
            return exchange;
        }
    }

    /// Loads and swaps once. Returns for how many nanoseconds to wait before the next attempt, if another
    /// process was faster.
    fn attempt(
        &self,
        store: &mut dyn BudgetStore,
        exchange: &mut BudgetExchange,
    ) -> Result<Option<u64>, StoreError> {
        let Stored { text, now_ns } = called(|| store.load(&self.key))?;
        (exchange.before, exchange.now_ns) = (text, now_ns);
        let before = exchange.before.as_deref();
        let stepped = self.with(|pending, _| {
            let stepped = pending.member.step(before.map(str::as_bytes), now_ns)?;
            Some((stepped, pending.member.steps().collect()))
        });
        let Some((stepped, steps)) = stepped else {
            let (key, text) = (self.key.clone(), before.unwrap_or_default().to_owned());
            return Err(NotAState { key, text }.into());
        };
        exchange.steps = steps;
        let (SteppedState::Unchanged(after) | SteppedState::Changed(after)) = stepped;
        exchange.after = after.to_string();
        if matches!(stepped, SteppedState::Unchanged(_)) {
            exchange.stored = SwapOutcome::Unchanged;
            return Ok(None);
        }
        exchange.stored = SwapOutcome::Unknown;
        if called(|| store.compare_and_swap(&self.key, before, &exchange.after))? {
            exchange.stored = SwapOutcome::Yes;
            return Ok(None);
        }
        exchange.stored = SwapOutcome::Lost;
        let wait_ns = self.with(|pending, now_ns| pending.member.lost(now_ns));
        wait_ns.map(Some).ok_or_else(|| AlwaysLost.into())
    }

    /// Calls the hook.
    pub(super) fn observe(&self, exchange: &BudgetExchange) {
        if let Err(message) = caught(|| (self.hook)(exchange)) {
            let error = Panicked { what: "hook", message };
            self.with(|pending, _| pending.set_last_error(Arc::new(error)));
        }
    }
}

/// Calls the store, which may panic.
fn called<T>(call: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    caught(call).unwrap_or_else(|message| Err(Panicked { what: "store", message }.into()))
}
