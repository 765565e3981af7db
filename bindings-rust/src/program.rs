//! What holds for all loops of the program (SPEC 18.8).

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use backoff_core::{Budget, Policy, RetryStats};

use crate::event::RetryEvent;

/// A hook of any loop, which does not know the type of its result.
type Hook = Arc<dyn Fn(&RetryEvent<'_, ()>) + Send + Sync>;

/// Options for all loops of the program: [`set_defaults`] sets them.
///
/// ```
/// use backoff_retry::{Defaults, Retry, set_defaults};
/// let guard = set_defaults(Defaults::new().enabled(false)); // as in a test
/// let report = Retry::default().when(|_: &&str| true).call_with_report(|| Err::<(), _>("busy"));
/// assert_eq!((report.result, report.attempts), (Err("busy"), 1));
/// drop(guard); // what was before holds again
/// ```
#[derive(Clone, Default)]
pub struct Defaults {
    pub(crate) enabled: Option<bool>,
    policy: Option<Policy>,
    pub(crate) budget: Option<Arc<Budget>>,
    pub(crate) stats: Option<Arc<RetryStats>>,
    on_retry: Vec<Hook>,
    on_stop: Vec<Hook>,
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
        self.enabled = Some(enabled);
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
        self.on_retry.push(Arc::new(on_retry));
        self
    }

    /// A hook that runs at the end of any loop, before the hook of the loop.
    #[must_use]
    pub fn on_stop(
        mut self,
        on_stop: impl Fn(&RetryEvent<'_, ()>) + Send + Sync + 'static,
    ) -> Self {
        self.on_stop.push(Arc::new(on_stop));
        self
    }

    /// Calls the hook of an event.
    pub(crate) fn notify<R>(&self, event: &RetryEvent<'_, R>) {
        let hooks = if event.reason.is_some() { &self.on_stop } else { &self.on_retry };
        for hook in hooks {
            hook(&event.without_result());
        }
    }

    /// Adds those that were set after these.
    fn add(&mut self, later: &Self) {
        let Self { enabled, policy, budget, stats, on_retry, on_stop } = later.clone();
        self.enabled = enabled.or(self.enabled);
        self.policy = policy.or(self.policy);
        self.budget = budget.or(self.budget.take());
        self.stats = stats.or(self.stats.take());
        self.on_retry.extend(on_retry);
        self.on_stop.extend(on_stop);
    }
}

impl fmt::Debug for Defaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { enabled, policy, budget, stats, .. } = self;
        let mut shown = f.debug_struct("Defaults");
        shown
            .field("enabled", &enabled.unwrap_or(true))
            .field("policy", policy)
            .field("budget", budget);
        shown.field("stats", stats).finish_non_exhaustive()
    }
}

/// All that are set, and their sum.
struct Set {
    all: Vec<Arc<Defaults>>,
    sum: Option<Arc<Defaults>>,
}

/// The flag says whether there are any, so that a loop of a program without them takes no lock.
static SET: RwLock<Set> = RwLock::new(Set { all: Vec::new(), sum: None });
static IS_SET: AtomicBool = AtomicBool::new(false);

/// Sets the options of all loops of the program that begin from now on, in every thread, until the guard is
/// dropped; keep it in `main` for the whole program. A loop's own options win, and its hooks run after these.
///
/// Calls add up: of an option that several calls set, the last one counts, and all hooks run, those of the first
/// call first. So a library, the program and a test can each set some. Guards may be dropped in any order; each
/// takes back its own options.
#[must_use = "bind the guard to a name, `let _defaults = ..`: the defaults end when it is dropped"]
pub fn set_defaults(defaults: Defaults) -> DefaultsGuard {
    let defaults = Arc::new(defaults);
    change(|set| set.push(Arc::clone(&defaults)));
    DefaultsGuard(defaults)
}

/// Ends the defaults that [`set_defaults`] set when it is dropped.
#[derive(Debug)]
#[must_use = "bind the guard to a name, `let _defaults = ..`: the defaults end when it is dropped"]
pub struct DefaultsGuard(Arc<Defaults>);

impl Drop for DefaultsGuard {
    fn drop(&mut self) {
        change(|set| set.retain(|one| !Arc::ptr_eq(one, &self.0)));
    }
}

fn change(change: impl FnOnce(&mut Vec<Arc<Defaults>>)) {
    let mut set = SET.write().unwrap_or_else(PoisonError::into_inner);
    change(&mut set.all);
    let added = set.all.iter().fold(Defaults::new(), |mut sum, defaults| {
        sum.add(defaults);
        sum
    });
    set.sum = (!set.all.is_empty()).then(|| Arc::new(added));
    IS_SET.store(set.sum.is_some(), Ordering::Relaxed);
}

/// Whether the program set defaults.
#[inline]
pub(crate) fn has_defaults() -> bool {
    IS_SET.load(Ordering::Relaxed)
}

/// The defaults of a loop that begins.
pub(crate) fn defaults() -> Option<Arc<Defaults>> {
    SET.read().unwrap_or_else(PoisonError::into_inner).sum.clone()
}

/// The policy of `Retry::default()`, if the program set one.
#[cfg(feature = "getrandom")]
pub(crate) fn policy() -> Option<Policy> {
    if has_defaults() { defaults()?.policy } else { None }
}
