//! What a call gets to know about its attempt, and that an attempt took too long.

use std::error::Error;
use std::fmt;
use std::io;
use std::time::Duration;

/// What [`Loop::call_with_attempt`](crate::Loop::call_with_attempt) and
/// [`Loop::call_async_with_attempt`](crate::Loop::call_async_with_attempt) pass to each call.
///
/// ```
/// use backoff_retry::{Attempt, Retry};
/// fn connect(attempt: Attempt<Result<u64, String>>) -> Result<u64, String> {
///     match attempt.last_error() {
///         Some(error) if error == "busy" => Ok(attempt.number),
///         _ => Err("busy".into()),
///     }
/// }
/// let retry = Retry::default().sleep(|_| {});
/// assert_eq!(retry.when(|_: &String| true).call_with_attempt(connect), Ok(2));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attempt<R> {
    /// The number of this call: 1, 2, ...
    pub number: u64,
    /// The result of the call before; `None` at the first one.
    pub last: Option<R>,
    /// The time until the policy's `attempt_timeout`, its `max_elapsed` or the deadline ends, whichever
    /// is first: zero if that is over, and `None` if none of them is set.
    pub time_left: Option<Duration>,
}

impl<T, E> Attempt<Result<T, E>> {
    /// The error of the call before, if it returned one.
    #[must_use]
    pub fn last_error(&self) -> Option<&E> {
        self.last.as_ref()?.as_ref().err()
    }
}

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
