//! What a store of shared budgets must be able to do.

use std::error::Error;

/// An error of a store.
pub type StoreError = Box<dyn Error + Send + Sync>;

/// A store that keeps the states of budgets for many processes: two calls of an engine that can
/// compare and swap.
///
/// The crate `backoff-adapters` has stores for Redis and PostgreSQL. Only the worker thread of a
/// [`SharedBudget`](crate::SharedBudget) calls a store, one call at a time, so a store may block. A
/// loop waits for it no longer than the budget's timeout; a limit of the store's own, such as a
/// timeout of its connection, lets the worker go on.
///
/// ```
/// use backoff_retry::{BudgetStore, StoreError, Stored};
/// use std::collections::HashMap;
/// use std::sync::{Arc, Mutex};
///
/// /// A store for the threads of one process, such as in a test.
/// #[derive(Clone, Default)]
/// struct Memory(Arc<Mutex<HashMap<String, String>>>);
///
/// impl BudgetStore for Memory {
///     fn load(&mut self, key: &str) -> Result<Stored, StoreError> {
///         let text = self.0.lock().unwrap().get(key).cloned();
///         let now = std::time::UNIX_EPOCH.elapsed()?;
///         Ok(Stored { text, now_ns: now.as_nanos().try_into()? })
///     }
///
///     fn compare_and_swap(
///         &mut self,
///         key: &str,
///         expected: Option<&str>,
///         new: &str,
///     ) -> Result<bool, StoreError> {
///         let mut texts = self.0.lock().unwrap();
///         let is_expected = texts.get(key).map(String::as_str) == expected;
///         if is_expected {
///             texts.insert(key.to_owned(), new.to_owned());
///         }
///         Ok(is_expected)
///     }
/// }
/// # assert!(Memory::default().compare_and_swap("key", None, "0 10").unwrap());
/// ```
pub trait BudgetStore: Send + 'static {
    /// The text that is stored under a key, and the time of the store.
    ///
    /// # Errors
    /// Whatever went wrong. The budget then decides without the store for a second.
    fn load(&mut self, key: &str) -> Result<Stored, StoreError>;

    /// Stores `new` under a key if `expected` is stored there, or, if it is `None`, if nothing is. One
    /// atomic step of the store. Returns whether it did.
    ///
    /// # Errors
    /// Whatever went wrong. The budget then decides without the store for a second.
    fn compare_and_swap(
        &mut self,
        key: &str,
        expected: Option<&str>,
        new: &str,
    ) -> Result<bool, StoreError>;
}

/// What a store answers to [`BudgetStore::load`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The text under the key; `None` if there is none.
    pub text: Option<String>,
    /// The time of the clock that all processes share, the store's own, in nanoseconds since 1970.
    pub now_ns: u64,
}
