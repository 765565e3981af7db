//! What a call returns that took longer than the policy's `attempt_timeout` (SPEC 18.2).

use std::io::{Write, stderr};
use std::sync::atomic::{AtomicBool, Ordering};

use backoff_core::Policy;

use crate::attempt::AttemptTimeout;
use crate::classify::{Classify, OwnDelay};
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

    fn own_delay(&mut self, index: u32, result: &R) -> OwnDelay {
        self.0.own_delay(index, result)
    }
}

impl<'a, R, V, C, S, N, P> Loop<'a, R, V, C, S, N, P> {
    /// Says what a call returns that took longer than the policy's `attempt_timeout`. An async loop then
    /// enforces that limit: it drops the future of the call, and the attempt has the outcome
    /// `Timeout`. `when` and `classify` are not asked.
    ///
    /// Without this an async loop does not end a call, because it could not make a result. A loop in a thread
    /// cannot end a call at all. Their functions must keep to the [`time_left`](crate::Attempt::time_left) of
    /// [`Loop::call_async_with_attempt`] or [`Loop::call_with_attempt`]. The first loop of a process whose function
    /// is not told either writes a line to standard error.
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

/// Says once in a process that nothing keeps the `attempt_timeout` of this policy (SPEC 18.2). A loop has no
/// other way: it cannot make an error of the caller's type, and a call may succeed although it is late.
#[cold]
pub(crate) fn warn_once(policy: &Policy) {
    static HAS_WARNED: AtomicBool = AtomicBool::new(false);
    if HAS_WARNED.swap(true, Ordering::Relaxed) {
        return;
    }
    // Standard error may be closed.
    let _ = writeln!(
        stderr(),
        "backoff-retry: nothing keeps the attempt_timeout of the policy {policy}: this loop cannot end a call. Set \
         `timed_out` on an async loop, or use the `time_left` of `call_async_with_attempt` or `call_with_attempt`"
    );
}
