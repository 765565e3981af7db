//! What holds for all loops of the program (SPEC 18.8).

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use backoff_core::{Budget, Policy, RetryStats};

use crate::event::RetryEvent;

/// A hook of any loop, which does not know the type of its result.
type Hook = Box<dyn Fn(&RetryEvent<'_, ()>) + Send + Sync>;

/// Options for all loops of the program: [`set_defaults`] sets them.
///
/// ```
/// use backoff_retry::{Defaults, Retry, set_defaults};
/// let guard = set_defaults(Defaults::new().enabled(false)); // as in a test
/// let report = Retry::default().when(|_: &&str| true).call_with_report(|| Err::<(), _>("busy"));
/// assert_eq!((report.result, report.attempts), (Err("busy"), 1));
/// drop(guard); // what was before holds again
/// ```
#[derive(Default)]
pub struct Defaults {
    pub(crate) is_off: bool,
    policy: Option<Policy>,
    pub(crate) budget: Option<Arc<Budget>>,
    pub(crate) stats: Option<Arc<RetryStats>>,
    on_retry: Option<Hook>,
    on_stop: Option<Hook>,
}

impl Defaults {
    /// No defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether loops retry. With `false` each loop calls its function once: a failure that it would retry is
    /// returned with the reason `MaxRetries`, and no budget hears of it.
    #[must_use]
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.is_off = !enabled;
        self
    }

    /// The policy of each `Retry::default()` that is made from now on.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = Some(policy);
        self
    }

    /// The budget of loops that set none.
    #[must_use]
    pub fn budget(mut self, budget: Arc<Budget>) -> Self {
        self.budget = Some(budget);
        self
    }

    /// The stats of loops that set none.
    #[must_use]
    pub fn stats(mut self, stats: Arc<RetryStats>) -> Self {
        self.stats = Some(stats);
        self
    }

    /// A hook that runs before each wait of any loop, before the hook of the loop. Its event has no result,
    /// as loops have results of many types.
    ///
    /// ```
    /// use backoff_retry::{Defaults, set_defaults};
    /// fn main() {
    ///     let _defaults = set_defaults(
    ///         Defaults::new().on_retry(|event| eprintln!("waiting {:?}", event.delay)),
    ///     );
    ///     // all of the program
    /// }
    /// ```
    #[must_use]
    pub fn on_retry(
        mut self,
        on_retry: impl Fn(&RetryEvent<'_, ()>) + Send + Sync + 'static,
    ) -> Self {
        self.on_retry = Some(Box::new(on_retry));
        self
    }

    /// A hook that runs at the end of any loop, before the hook of the loop.
    #[must_use]
    pub fn on_stop(
        mut self,
        on_stop: impl Fn(&RetryEvent<'_, ()>) + Send + Sync + 'static,
    ) -> Self {
        self.on_stop = Some(Box::new(on_stop));
        self
    }

    /// Calls the hook of an event.
    pub(crate) fn notify<R>(&self, event: &RetryEvent<'_, R>) {
        let hook = if event.reason.is_some() { &self.on_stop } else { &self.on_retry };
        if let Some(hook) = hook {
            hook(&event.without_result());
        }
    }
}

impl fmt::Debug for Defaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { is_off, policy, budget, stats, .. } = self;
        let mut shown = f.debug_struct("Defaults");
        shown.field("enabled", &!is_off).field("policy", policy).field("budget", budget);
        shown.field("stats", stats).finish_non_exhaustive()
    }
}

/// All that are set; the last ones count. The flag says whether there are any, so that a loop of a
/// program without them takes no lock.
static SET: RwLock<Vec<Arc<Defaults>>> = RwLock::new(Vec::new());
static IS_SET: AtomicBool = AtomicBool::new(false);

/// Sets the options of all loops of the program that begin from now on, in every thread. They replace
/// earlier ones until the guard is dropped; keep it in `main` for the whole program. A loop's own
/// options win, and its hooks run after these.
///
/// Guards may be dropped in any order, so tests in several threads do not restore one another's
/// defaults; but as long as they overlap, the last ones hold in all threads.
#[must_use = "the defaults end when the guard is dropped"]
pub fn set_defaults(defaults: Defaults) -> DefaultsGuard {
    let defaults = Arc::new(defaults);
    change(|set| set.push(Arc::clone(&defaults)));
    DefaultsGuard(defaults)
}

/// Ends the defaults that [`set_defaults`] set when it is dropped.
#[derive(Debug)]
#[must_use = "the defaults end when the guard is dropped"]
pub struct DefaultsGuard(Arc<Defaults>);

impl Drop for DefaultsGuard {
    fn drop(&mut self) {
        change(|set| set.retain(|one| !Arc::ptr_eq(one, &self.0)));
    }
}

fn change(change: impl FnOnce(&mut Vec<Arc<Defaults>>)) {
    let mut set = SET.write().unwrap_or_else(PoisonError::into_inner);
    change(&mut set);
    IS_SET.store(!set.is_empty(), Ordering::Relaxed);
}

/// Whether the program set defaults.
#[inline]
pub(crate) fn has_defaults() -> bool {
    IS_SET.load(Ordering::Relaxed)
}

/// The defaults of a loop that begins.
pub(crate) fn defaults() -> Option<Arc<Defaults>> {
    SET.read().unwrap_or_else(PoisonError::into_inner).last().cloned()
}

/// The policy of `Retry::default()`, if the program set one.
#[cfg(feature = "getrandom")]
pub(crate) fn policy() -> Option<Policy> {
    if has_defaults() { defaults()?.policy } else { None }
}
