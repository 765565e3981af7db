//! The data of a loop: its settings, its classification and its hooks.

use std::fmt;
use std::time::Duration;

use backoff_core::{Budget, Policy, RandomStream, RetryStats, ffi};

use crate::ref_or_arc::RefOrArc;
use crate::shared_budget::SharedBudget;

/// What all loops of one [`Retry`](crate::Retry) have in common.
#[derive(Clone)]
pub(crate) struct Settings<'a, C, S> {
    pub(crate) policy: Policy,
    pub(crate) stream: Option<RandomStream>,
    pub(crate) budget: Option<RefOrArc<'a, Budget>>,
    /// Mutually exclusive with `budget`.
    pub(crate) shared_budget: Option<SharedBudget>,
    pub(crate) stats: Option<RefOrArc<'a, RetryStats>>,
    pub(crate) clock: C,
    pub(crate) sleep: S,
}

impl<C, S> Settings<'_, C, S> {
    /// The stream of the next loop.
    pub(crate) fn next_stream(&self) -> RandomStream {
        #[cfg(feature = "getrandom")]
        let default = crate::defaults::stream;
        #[cfg(not(feature = "getrandom"))]
        let default = || unreachable!("only `Retry::with_stream` exists, which sets a stream");
        self.stream.unwrap_or_else(default)
    }

    /// Prints these settings as those of a type with this name. A clock and a sleep are closures,
    /// which cannot be printed.
    pub(crate) fn fmt_as(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { policy, stream, budget, shared_budget, stats, .. } = self;
        let mut shown = f.debug_struct(name);
        shown.field("policy", policy).field("stream", stream);
        match shared_budget {
            Some(budget) => shown.field("budget", budget),
            None => shown.field("budget", budget),
        };
        shown.field("stats", stats).finish_non_exhaustive()
    }
}

/// Everything that one loop needs to run, except the function that it calls.
#[derive(Clone)]
pub(crate) struct Plan<'a, V, C, S, N, P> {
    pub(crate) settings: Settings<'a, C, S>,
    /// A time of the clock.
    pub(crate) deadline: Option<Duration>,
    pub(crate) classify: V,
    pub(crate) on_retry: N,
    pub(crate) on_stop: P,
    /// Whether the caller set a hook.
    pub(crate) has_hook: bool,
}

impl<V, C, S, N, P> Plan<'_, V, C, S, N, P> {
    /// Whether the time changes anything that the caller sees, apart from the report.
    pub(crate) fn needs_time(&self) -> bool {
        let Settings { policy, budget, .. } = &self.settings;
        self.has_hook || self.deadline.is_some() || budget.is_some() || ffi::limits_elapsed(policy)
    }
}
