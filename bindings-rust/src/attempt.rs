//! What a call gets to know about its attempt.

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
    /// is first; `None` if none of them is set, or all have ended.
    pub time_left: Option<Duration>,
}

impl<T, E> Attempt<Result<T, E>> {
    /// The error of the call before, if it returned one.
    #[must_use]
    pub fn last_error(&self) -> Option<&E> {
        self.last.as_ref()?.as_ref().err()
    }
}
