//! What a call returns that took longer than the policy's `attempt_timeout` (SPEC 18.2).

use std::time::Duration;

use crate::attempt::AttemptTimeout;
use crate::classify::Classify;
use crate::loops::Loop;
use crate::verdict::Verdict;

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
