//! What a call returns that took longer than the policy's `attempt_timeout` (SPEC 18.2).

use std::error::Error;
use std::fmt;
use std::io;
use std::time::Duration;

use crate::classify::Classify;
use crate::loops::Loop;
use crate::verdict::Verdict;

/// An attempt took longer than its limit. It is an error that other errors can be made of.
///
/// ```
/// use backoff_retry::{AttemptTimeout, Retry};
/// let retry = Retry::default();
/// let plan = retry.when(|_: &std::io::Error| true).timed_out(|timeout| Err(timeout.into()));
/// assert_eq!(plan.call(|| Ok(7)).unwrap(), 7);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct AttemptTimeout {
    /// The limit: the policy's `attempt_timeout`, or less if `max_elapsed` or the deadline would have ended
    /// sooner.
    pub limit: Duration,
}

impl fmt::Display for AttemptTimeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the attempt took longer than {:?}", self.limit)
    }
}

impl Error for AttemptTimeout {}

impl From<AttemptTimeout> for io::Error {
    fn from(timeout: AttemptTimeout) -> Self {
        Self::new(io::ErrorKind::TimedOut, timeout)
    }
}

/// A classification with the result of a call that took too long. Made by
/// [`Loop::timed_out`](crate::Loop::timed_out).
#[derive(Debug, Clone, Copy)]
pub struct OnTimeout<V, F>(V, F);

impl<R, V: Classify<R>, F: FnMut(AttemptTimeout) -> R> Classify<R> for OnTimeout<V, F> {
    const ENDS_ATTEMPTS: bool = true;
    const HAS_DELAYS: bool = V::HAS_DELAYS;

    fn classify(&mut self, result: &R) -> Verdict {
        self.0.classify(result)
    }

    fn timed_out(&mut self, timeout: AttemptTimeout) -> Option<R> {
        Some(self.1(timeout))
    }

    fn own_delay(&mut self, index: u32, result: &R) -> Option<Duration> {
        self.0.own_delay(index, result)
    }
}

impl<'a, R, V, C, S, N, P> Loop<'a, R, V, C, S, N, P> {
    /// Says what a call returns that took longer than the policy's `attempt_timeout`. An async loop then
    /// enforces that limit: it drops the future of the call, and the attempt has the outcome
    /// `Timeout`. `when` and `classify` are not asked.
    ///
    /// An async loop whose policy has an `attempt_timeout` panics without this, because it could not
    /// make a result. A loop in a thread cannot interrupt a call: its function must keep to the
    /// [`time_left`](crate::Attempt::time_left) of [`Loop::call_with_attempt`].
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), backoff_retry::ParseError> {
    /// use backoff_retry::{Outcome, Retry};
    /// use std::io;
    /// # async fn fetch() -> io::Result<u8> { std::future::pending().await }
    /// let retry = Retry::new("full:base=100ms,max_retries=3,attempt_timeout=2s".parse()?);
    /// let result = retry
    ///     .when(|error: &io::Error| error.kind() == io::ErrorKind::ConnectionReset)
    ///     .timed_out(|timeout| Err(timeout.into()))
    ///     .call_async(fetch)
    ///     .await;
    /// assert_eq!(result.unwrap_err().to_string(), "the attempt took longer than 2s");
    /// # Ok(())
    /// # }
    /// ```
    pub fn timed_out<F>(self, timed_out: F) -> Loop<'a, R, OnTimeout<V, F>, C, S, N, P>
    where
        F: FnMut(AttemptTimeout) -> R,
    {
        self.reclassify(|classify| OnTimeout(classify, timed_out))
    }
}
