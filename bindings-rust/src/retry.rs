//! The options that all loops of a client have in common.

use std::fmt;
use std::time::Duration;

use backoff_core::ffi;
use backoff_core::{Budget, Policy, PolicyBuilder, PolicyError, RandomStream, RetryStats};

use crate::program::Defaults;
use crate::ref_or_arc::RefOrArc;
use crate::shared_budget::SharedBudget;
use crate::stored_policy::StoredPolicy;
use crate::time::{DefaultSleep, Monotonic};

/// How to retry: a policy and, if set, a stream, a budget, stats, a clock and a sleep.
///
/// A `Retry` calls nothing by itself. [`Retry::when`] or [`Retry::classify`] says which calls may
/// be repeated and returns a [`Loop`](crate::Loop). One `Retry` serves any number of loops, also at the same
/// time.
///
/// **A policy without `max_retries`, `max_attempts` or `max_elapsed` retries for ever**, unless a
/// deadline or a budget stops it. `default:base=200ms` changes the base of the default and keeps its
/// limit of 3 retries. The policy `off` makes no retries.
///
/// ```
/// use backoff_retry::Retry;
/// use std::io;
/// let retry = Retry::new("full:base=100ms,cap=20s,max_retries=5".parse()?);
/// let text = retry
///     .when(|error: &io::Error| error.kind() == io::ErrorKind::Interrupted)
///     .call(|| std::fs::read_to_string("Cargo.toml"))?;
/// # assert!(text.contains("[package]"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A loop without `when` or `classify` does not compile:
///
/// ```compile_fail,E0277
/// backoff_retry::Retry::default().call(|| Err::<(), ()>(()));
/// ```
///
/// A field of the policy is changed with [`Retry::policy_with`]. The compiler says so:
///
/// ```compile_fail,E0277
/// let retry = backoff_retry::Retry::default().max_retries(5);
/// ```
#[derive(Clone)]
pub struct Retry<'a, C = Monotonic, S = DefaultSleep> {
    pub(crate) policy: StoredPolicy,
    pub(crate) stream: Option<RandomStream>,
    pub(crate) budget: Option<RefOrArc<'a, Budget>>,
    /// Mutually exclusive with `budget`.
    pub(crate) shared_budget: Option<SharedBudget>,
    pub(crate) stats: Option<RefOrArc<'a, RetryStats>>,
    /// Whether anything has to know of a success at the first call, or of its time. It is noted here because
    /// every loop asks.
    pub(crate) is_watched: bool,
    /// Whether the policy, or its limit of retries, is not that of the preset `default`.
    pub(crate) names_limit: bool,
    pub(crate) clock: C,
    pub(crate) sleep: S,
}

#[cfg(feature = "getrandom")]
impl Retry<'_> {
    /// Retries with a policy. Each loop has a random stream of its own: one seed is drawn from the
    /// system's entropy for the process, and each loop uses the next number under it.
    ///
    /// ```
    /// use backoff_retry::{Jitter, Policy, Retry};
    /// use std::time::Duration;
    /// let policy = Policy::exponential(Duration::from_millis(100)).jitter(Jitter::Full).build()?;
    /// let retry = Retry::new(policy);
    /// # let _ = retry;
    /// # Ok::<(), backoff_retry::PolicyError>(())
    /// ```
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        Self::from_parts(policy, None)
    }
}

/// Retries with the preset `default`, or with the policy of [`Defaults`](crate::Defaults).
#[cfg(feature = "getrandom")]
impl Default for Retry<'_> {
    fn default() -> Self {
        match crate::program::policy() {
            Some(policy) => Self::new(policy),
            None => Self { names_limit: false, ..Self::new(crate::defaults::policy()) },
        }
    }
}

impl<C, S> Retry<'_, C, S> {
    /// Fills in what a loop does not set.
    pub(crate) fn fill_in(&mut self, defaults: &Defaults) {
        let Self { policy, budget, shared_budget, stats, .. } = self;
        if defaults.enabled == Some(false) {
            (*budget, *shared_budget) = (None, None);
            policy.allow_retries(0);
        } else if budget.is_none() && shared_budget.is_none() {
            *budget = defaults.budget.as_ref().map(RefOrArc::from);
        }
        if stats.is_none() {
            *stats = defaults.stats.as_ref().map(RefOrArc::from);
        }
    }
}

impl Retry<'_> {
    /// Retries with a policy and a stream that is the same in each loop. For platforms without
    /// entropy; elsewhere use `Retry::new` and [`Retry::stream`].
    ///
    /// ```
    /// use backoff_retry::{Policy, RandomStream, Retry};
    /// let stream = RandomStream::from_key(42, "job-1");
    /// let retry = Retry::with_stream(Policy::parse("default")?, stream);
    /// # let _ = retry;
    /// # Ok::<(), backoff_retry::ParseError>(())
    /// ```
    #[must_use]
    pub fn with_stream(policy: Policy, stream: RandomStream) -> Self {
        Self::from_parts(policy, Some(stream))
    }

    fn from_parts(policy: Policy, stream: Option<RandomStream>) -> Self {
        let (clock, sleep) = (Monotonic, DefaultSleep);
        let (budget, shared_budget, stats) = (None, None, None);
        let policy = StoredPolicy::from(policy);
        let is_watched = policy.need_time();
        Self {
            policy,
            stream,
            budget,
            shared_budget,
            stats,
            is_watched,
            names_limit: true,
            clock,
            sleep,
        }
    }
}

impl<'a, C, S> Retry<'a, C, S> {
    /// Changes fields of the policy, as pairs after it in a policy string do:
    /// `default:max_attempts=6,cap=5s` is the policy of this one. A `max_attempts` replaces the
    /// `max_retries` of the policy.
    ///
    /// ```
    /// use backoff_retry::{Policy, Retry};
    /// use std::time::Duration;
    /// let retry = Retry::default()
    ///     .policy_with(|policy| policy.max_attempts(6).cap(Duration::from_secs(5)))?;
    /// assert_eq!(retry.policy(), Policy::parse("default:max_attempts=6,cap=5s")?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// A clone changes one call and keeps the rest:
    ///
    /// ```
    /// # use backoff_retry::{Policy, PolicyError, Retry};
    /// # let retry = Retry::default();
    /// let patient = retry.clone().policy_with(|policy| policy.max_retries(10))?;
    /// # assert_eq!(patient.policy().max_retries(), 10);
    /// # assert_eq!(retry.policy().max_retries(), 3);
    /// # Ok::<(), PolicyError>(())
    /// ```
    ///
    /// # Errors
    /// The first rule of SPEC 8 that the policy then breaks, with the field, its value and the limit.
    pub fn policy_with(
        mut self,
        change: impl FnOnce(PolicyBuilder) -> PolicyBuilder,
    ) -> Result<Self, PolicyError> {
        let builder = change(self.policy().to_builder());
        self.names_limit |= ffi::sets_retries(&builder);
        self.policy = builder.build()?.into();
        self.is_watched |= self.policy.need_time();
        Ok(self)
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.policy.get()
    }

    /// Uses this stream in every loop. Loops that share a stream compute identical delays.
    #[must_use]
    pub fn stream(mut self, stream: RandomStream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Uses the stream of a seed and a key (SPEC 3.2) in every loop. Give each job or client a key
    /// of its own: everyone who shares both computes identical delays.
    ///
    /// ```
    /// use backoff_retry::{Policy, RandomStream, Retry};
    /// use std::cell::Cell;
    /// let policy = Policy::parse("full:base=100ms,max_retries=1")?;
    /// let waited = Cell::default();
    /// let retry = Retry::new(policy).seed_and_key(42, "job-1").sleep(|delay| waited.set(delay));
    /// let _ = retry.when(|_: &&str| true).call(|| Err::<(), _>("busy"));
    /// assert_eq!(waited.get(), policy.delay(RandomStream::from_key(42, "job-1"), 0));
    /// # Ok::<(), backoff_retry::ParseError>(())
    /// ```
    #[must_use]
    pub fn seed_and_key(self, seed: u64, key: impl AsRef<[u8]>) -> Self {
        self.stream(RandomStream::from_key(seed, key))
    }

    /// Uses a budget, which limits the retries of all loops that share it: `&budget`, or an `Arc`. It
    /// replaces an earlier one, also one of many processes.
    /// After a fork, the child must make budgets of its own.
    ///
    /// Every loop that shares a budget must use the same clock. A budget in a `static` is passed as
    /// `&*BUDGET`.
    ///
    /// ```
    /// use backoff_retry::{Budget, Retry, StopReason};
    /// let budget = Budget::parse("quota:max_tokens=1,cost=1")?;
    /// let retry = Retry::new("constant:base=0s".parse()?).budget(&budget);
    /// let report = retry.when(|_: &&str| true).call_with_report(|| Err::<(), _>("busy"));
    /// assert_eq!((report.reason, report.attempts), (StopReason::Budget, 2));
    /// # Ok::<(), backoff_retry::ParseError>(())
    /// ```
    #[must_use]
    pub fn budget(mut self, budget: impl Into<RefOrArc<'a, Budget>>) -> Self {
        self.is_watched = true;
        self.budget = Some(budget.into());
        self.shared_budget = None;
        self
    }

    /// Whether this loop has a budget, of one process or of many.
    #[must_use]
    pub fn has_budget(&self) -> bool {
        self.budget.is_some() || self.shared_budget.is_some()
    }

    /// Uses a budget that many processes share, in place of one of [`Retry::budget`].
    ///
    /// ```
    /// use backoff_retry::{BudgetStore, Retry, SharedBudget, SharedBudgetError};
    /// fn retry(store: impl BudgetStore) -> Result<Retry<'static>, SharedBudgetError> {
    ///     let budget = SharedBudget::builder(store, "orders", "ratio:ratio=20%").build()?;
    ///     Ok(Retry::default().shared_budget(budget))
    /// }
    /// ```
    #[cfg(feature = "shared-budget")]
    #[must_use]
    pub fn shared_budget(mut self, budget: impl Into<SharedBudget>) -> Self {
        self.is_watched = true;
        self.shared_budget = Some(budget.into());
        self.budget = None;
        self
    }

    /// Counts each loop when it ends: `&stats`, or an `Arc`. A loop that was cancelled before its
    /// first call counts as one attempt.
    ///
    /// ```
    /// use backoff_retry::{Retry, RetryStats, StopReason};
    /// let stats = RetryStats::new();
    /// let _ = Retry::default().stats(&stats).when(|_: &&str| false).call(|| Err::<(), _>("no"));
    /// assert_eq!((stats.operations(), stats.stops(StopReason::Permanent)), (1, 1));
    /// ```
    #[must_use]
    pub fn stats(mut self, stats: impl Into<RefOrArc<'a, RetryStats>>) -> Self {
        self.is_watched = true;
        self.stats = Some(stats.into());
        self
    }

    /// Uses a clock of the caller's, which never goes backwards. The default is [`Monotonic`].
    /// It should not panic: the loop then ends without a hook.
    ///
    /// A clock is a function; [`Clock`](crate::Clock) is implemented for every `Fn() -> Duration` and cannot be
    /// implemented for other types. Deadlines are then times of this clock: set them with
    /// [`Loop::deadline_at`](crate::Loop::deadline_at) instead of [`Loop::deadline`](crate::Loop::deadline).
    ///
    /// ```
    /// use backoff_retry::Retry;
    /// use std::time::Instant;
    /// let start = Instant::now(); // or the paused clock of tokio
    /// let retry = Retry::default().clock(move || start.elapsed());
    /// # let _ = retry;
    /// ```
    #[must_use]
    pub fn clock<D: Fn() -> Duration>(self, clock: D) -> Retry<'a, D, S> {
        let Self {
            policy,
            stream,
            budget,
            shared_budget,
            stats,
            is_watched,
            names_limit,
            sleep,
            ..
        } = self;
        Retry {
            policy,
            stream,
            budget,
            shared_budget,
            stats,
            is_watched,
            names_limit,
            clock,
            sleep,
        }
    }

    /// Uses a sleep of the caller's, which is a function. The default is [`DefaultSleep`].
    ///
    /// [`Loop::call`](crate::Loop::call) needs one that waits in the thread ([`BlockingSleep`](crate::BlockingSleep)),
    /// and [`Loop::call_async`](crate::Loop::call_async) one that returns a future ([`Sleep`](crate::Sleep)). Each loop
    /// clones the sleep and the clock, so let them capture references or `Arc`s.
    ///
    /// ```
    /// use backoff_retry::Retry;
    /// use std::time::Duration;
    /// let retry = Retry::new("constant:base=1h,max_retries=3".parse()?).sleep(|_| {});
    /// let report = retry.when(|_: &&str| true).call_with_report(|| Err::<(), _>("busy")); // takes no time
    /// assert!(report.elapsed < Duration::from_secs(60));
    /// # Ok::<(), backoff_retry::ParseError>(())
    /// ```
    #[must_use]
    pub fn sleep<T: Fn(Duration) -> O, O>(self, sleep: T) -> Retry<'a, C, T> {
        let Self {
            policy,
            stream,
            budget,
            shared_budget,
            stats,
            is_watched,
            names_limit,
            clock,
            ..
        } = self;
        Retry {
            policy,
            stream,
            budget,
            shared_budget,
            stats,
            is_watched,
            names_limit,
            clock,
            sleep,
        }
    }
}

impl<C, S> fmt::Debug for Retry<'_, C, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as("Retry", f)
    }
}

impl<C, S> Retry<'_, C, S> {
    /// Prints these options as those of a type with this name. A clock and a sleep are closures, which
    /// cannot be printed.
    pub(crate) fn fmt_as(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stream, budget, shared_budget, stats, .. } = self;
        let policy = self.policy.get();
        let mut shown = f.debug_struct(name);
        shown.field("policy", &policy).field("stream", stream);
        match shared_budget {
            Some(budget) => shown.field("budget", budget),
            None => shown.field("budget", budget),
        };
        shown.field("stats", stats).finish_non_exhaustive()
    }
}

/// The stream of the next loop that sets none.
pub(crate) fn default_stream() -> RandomStream {
    #[cfg(feature = "getrandom")]
    return crate::defaults::stream();
    #[cfg(not(feature = "getrandom"))]
    unreachable!("only `Retry::with_stream` exists, which sets a stream");
}
