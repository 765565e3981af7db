//! Asking the store: load, step and swap, until it has the steps.

use std::time::Duration;

use backoff_core::{BudgetLevel, SteppedState};

use crate::shared_budget::exchange::{BudgetExchange, SwapOutcome};
use crate::shared_budget::store::{BudgetStore, StoreError, Stored};
use crate::shared_budget::worker::{Inner, caught};
use crate::sync::thread;

/// So many characters of a text an error quotes: something else may have written one of any length.
const MAX_QUOTED: usize = 100;

/// Every try was lost to another process.
const ALWAYS_LOST: &str = "other processes changed the state in every try before the timeout";

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
        let Some((stepped, steps)) = stepped else { return Err(self.not_ours(before)) };
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
        wait_ns.map(Some).ok_or_else(|| ALWAYS_LOST.into())
    }

    /// Asks the store what is left.
    pub(super) fn ask_level(&self, store: &mut dyn BudgetStore) -> Result<BudgetLevel, StoreError> {
        let Stored { text, now_ns } = called(|| store.load(&self.key))?;
        let text = text.as_deref();
        let level = self.with(|pending, _| pending.member.level(text.map(str::as_bytes), now_ns));
        level.ok_or_else(|| self.not_ours(text))
    }

    /// The error of a text that the store has.
    fn not_ours(&self, text: Option<&str>) -> StoreError {
        let (key, text) = (&self.key, text.unwrap_or_default());
        let shown: String = text.chars().take(MAX_QUOTED).collect();
        let dots = if shown.len() < text.len() { "..." } else { "" };
        let why = "which is not the state of this budget";
        format!("under the key {key:?} the store has {shown:?}{dots}, {why}").into()
    }

    /// Calls the hook.
    pub(super) fn observe(&self, exchange: &BudgetExchange) {
        if let Err(message) = caught(|| (self.hook)(exchange)) {
            let error = StoreError::from(format!("the hook panicked: {message}"));
            self.with(|pending, _| pending.set_last_error(error.into()));
        }
    }
}

/// Calls the store, which may panic.
fn called<T>(call: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    caught(call).unwrap_or_else(|message| Err(format!("the store panicked: {message}").into()))
}
