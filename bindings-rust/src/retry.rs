//! What loops have in common whatever they call.

use std::time::Duration;

use backoff_core::{Budget, History, Policy, Stream};

use crate::classify::{Classify, WhenError, Whole};
use crate::loops::Loop;
use crate::shared::Shared;
use crate::time::{Clock, DefaultSleep, Monotonic};
use crate::verdict::IntoVerdict;

/// How to retry: a policy, and maybe a stream, a budget, a history, a clock and a sleep.
///
/// It calls nothing yet: [`Retry::when`] or [`Retry::classify`] says what may be repeated, which
/// nothing else does, and gives a [`Loop`]. One `Retry` serves any number of loops, also at once.
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

    /// With a sleep of the caller's, for [`Loop::call`] one that waits in the thread
    /// ([`BlockingSleep`](crate::BlockingSleep)), for [`Loop::call_async`] one that returns a
    /// future ([`Sleep`](crate::Sleep)); else [`DefaultSleep`]. Loops have clones of it, as of the
    /// clock: what it captures is best a reference or an `Arc`.
    #[must_use]
    pub fn sleep<T: Fn(Duration) -> O, O>(self, sleep: T) -> Retry<'a, C, T> {
        let Self { policy, stream, budget, history, clock, .. } = self;
        Retry { policy, stream, budget, history, clock, sleep }
    }
}

impl<'a, C: Clock + Clone, S: Clone> Retry<'a, C, S> {
    /// A loop that repeats what failed with an error of which this function says that it may be
    /// repeated: `true` ([`Outcome::Transient`](crate::Outcome)), an outcome, or a
    /// [`Verdict`](crate::Verdict) with a hint. `false` is a permanent failure; every value is a
    /// success.
    pub fn when<T, E, V, W>(&self, when: W) -> Loop<'a, Result<T, E>, WhenError<W>, C, S>
    where
        V: IntoVerdict,
        W: FnMut(&E) -> V,
    {
        self.by(WhenError(when))
    }

    /// A loop that repeats what returned a value of which this function says so, whatever its
    /// type: `true` goes on, `false` is a success. For polling, and for results that are more than
    /// a value or an error.
    ///
    /// An `Err` is a value here, and `false` for it a success, in the report, the history and the
    /// budget: for a `Result` take [`Retry::when`], and [`Loop::when_value`].
    ///
    /// ```
    /// use backoff_retry::Retry;
    /// use std::time::Duration;
    /// let mut answers = [None, None, Some(7)].into_iter();
    /// let answer = Retry::new("constant:base=1s".parse()?)
    ///     .sleep(|_| {})
    ///     .classify(|answer: &Option<i32>| answer.is_none())
    ///     .call(|| answers.next().flatten());
    /// assert_eq!(answer, Some(7));
    /// # Ok::<(), backoff_retry::ParseError>(())
    /// ```
    pub fn classify<R, V, X>(&self, classify: X) -> Loop<'a, R, Whole<X>, C, S>
    where
        V: IntoVerdict,
        X: FnMut(&R) -> V,
    {
        self.by(Whole(classify))
    }

    fn by<R, V: Classify<R>>(&self, classify: V) -> Loop<'a, R, V, C, S> {
        Loop::new(self.clone(), classify)
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
