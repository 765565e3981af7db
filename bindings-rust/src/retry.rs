//! What loops have in common whatever they call.

use std::time::Duration;

use backoff_core::{Budget, History, Policy, Stream};

use crate::shared::Shared;
use crate::time::{DefaultSleep, Monotonic};

/// How to retry: a policy, and maybe a stream, a budget, a history, a clock and a sleep.
///
/// It calls nothing yet: [`Retry::when`] or [`Retry::classify`] says what may be repeated, which
/// nothing else does, and gives a [`Loop`](crate::Loop). One `Retry` serves any number of loops, also at once.
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
/// What does not say it does not compile:
///
/// ```compile_fail,E0599
/// backoff_retry::Retry::default().call(|| Err::<(), ()>(()));
/// ```
#[derive(Debug, Clone)]
pub struct Retry<'a, C = Monotonic, S = DefaultSleep> {
    pub(crate) policy: Policy,
    pub(crate) stream: Option<Stream>,
    pub(crate) budget: Option<Shared<'a, Budget>>,
    pub(crate) history: Option<Shared<'a, History>>,
    pub(crate) clock: C,
    pub(crate) sleep: S,
}

#[cfg(feature = "getrandom")]
impl Retry<'_> {
    /// Retries by a policy; each loop on a stream of its own, from entropy of the system that a
    /// process asks for once.
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        Self::bare(policy, None)
    }
}

/// By the preset `default`.
#[cfg(feature = "getrandom")]
impl Default for Retry<'_> {
    fn default() -> Self {
        Self::new(crate::fresh::policy())
    }
}

impl Retry<'_> {
    /// Retries by a policy on a stream, in each loop the same. For where there is no entropy; else
    /// [`Retry::new`] and [`Retry::stream`].
    #[must_use]
    pub fn with_stream(policy: Policy, stream: Stream) -> Self {
        Self::bare(policy, Some(stream))
    }

    fn bare(policy: Policy, stream: Option<Stream>) -> Self {
        Self { policy, stream, budget: None, history: None, clock: Monotonic, sleep: DefaultSleep }
    }
}

impl<'a, C, S> Retry<'a, C, S> {
    /// With this stream in every loop: loops that share one wait the same.
    #[must_use]
    pub fn stream(self, stream: Stream) -> Self {
        Self { stream: Some(stream), ..self }
    }

    /// With the stream of a seed and a key (SPEC 3.2) in every loop.
    #[must_use]
    pub fn seed_and_key(self, seed: u64, key: impl AsRef<[u8]>) -> Self {
        self.stream(Stream::from_key(seed, key))
    }

    /// With a budget that bounds the retries of all that share it: `&budget`, or an `Arc`.
    ///
    /// All that share a budget must have the same clock.
    #[must_use]
    pub fn budget(self, budget: impl Into<Shared<'a, Budget>>) -> Self {
        Self { budget: Some(budget.into()), ..self }
    }

    /// With a history that counts the loops as they end: `&history`, or an `Arc`.
    #[must_use]
    pub fn history(self, history: impl Into<Shared<'a, History>>) -> Self {
        Self { history: Some(history.into()), ..self }
    }

    /// With a clock of the caller's, which does not go back; else [`Monotonic`].
    #[must_use]
    pub fn clock<D: Fn() -> Duration>(self, clock: D) -> Retry<'a, D, S> {
        let Self { policy, stream, budget, history, sleep, .. } = self;
        Retry { policy, stream, budget, history, clock, sleep }
    }

    /// With a sleep of the caller's, for [`Loop::call`](crate::Loop::call) one that waits in the
    /// thread ([`BlockingSleep`](crate::BlockingSleep)), for
    /// [`Loop::call_async`](crate::Loop::call_async) one that returns a future
    /// ([`Sleep`](crate::Sleep)); else [`DefaultSleep`]. Loops have clones of it, as of the clock:
    /// what it captures is best a reference or an `Arc`.
    #[must_use]
    pub fn sleep<T: Fn(Duration) -> O, O>(self, sleep: T) -> Retry<'a, C, T> {
        let Self { policy, stream, budget, history, clock, .. } = self;
        Retry { policy, stream, budget, history, clock, sleep }
    }
}

impl<C, S> Retry<'_, C, S> {
    /// The stream of the next loop.
    pub(crate) fn next_stream(&self) -> Stream {
        #[cfg(feature = "getrandom")]
        let fresh = crate::fresh::stream;
        #[cfg(not(feature = "getrandom"))]
        let fresh = || unreachable!("without entropy every `Retry` is given a stream");
        self.stream.unwrap_or_else(fresh)
    }
}
