//! How a call ended, in the words of its caller (SPEC 18.3).

use std::time::Duration;

use backoff_core::Outcome;

/// How a call ended: an [`Outcome`], and how long the server asked to wait, if it did. Every
/// retryable outcome can carry a `retry_after`.
///
/// ```
/// use backoff_retry::{Outcome, Verdict};
/// use std::time::Duration;
/// let busy = Verdict::from(Outcome::Throttled).retry_after(Duration::from_secs(2));
/// assert_eq!(busy.retry_after, Some(Duration::from_secs(2)));
/// ```
///
/// Later versions may add fields, so a verdict is made from an outcome:
///
/// ```compile_fail,E0639
/// use backoff_retry::{Outcome, Verdict};
/// let busy = Verdict { outcome: Outcome::Throttled, retry_after: None };
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Verdict {
    /// The outcome.
    pub outcome: Outcome,
    /// How long the server asked to wait. The policy's `retry_after` says how it affects the
    /// delay. `retry_after_max`, one hour by default, limits it; the cap does not.
    pub retry_after: Option<Duration>,
}

impl Verdict {
    /// The verdict on an HTTP response: [`Outcome::from_http_status`], and the wait that its header
    /// fields ask for, `retry-after-ms`, `Retry-After` or, with status 429, `RateLimit`,
    /// `RateLimit-Reset` or `X-RateLimit-Reset` (SPEC 14.5). A date is compared with the system's clock; with a clock of your own use
    /// [`http_retry_after_ns`](crate::http_retry_after_ns).
    ///
    /// `fields` is a `HeaderMap` of the crate `http`, or other pairs of names and values.
    ///
    /// ```
    /// use backoff_retry::{Outcome, Verdict};
    /// use std::time::Duration;
    /// let busy = Verdict::of_http(503, [("Retry-After", "2")]);
    /// assert_eq!(busy.outcome, Outcome::Throttled);
    /// assert_eq!(busy.retry_after, Some(Duration::from_secs(2)));
    /// ```
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    #[must_use]
    pub fn of_http<N: AsRef<[u8]>, V: AsRef<[u8]>>(
        status: u16,
        fields: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let mut lines = Vec::new();
        for (name, value) in fields {
            let (name, value) = (name.as_ref(), value.as_ref());
            // Neither has a line feed in HTTP.
            if !name.contains(&b'\n') && !value.contains(&b'\n') {
                lines.extend([name, b":", value, b"\n"].concat());
            }
        }
        let wait = backoff_core::http_retry_after_ns(status, lines, now_ns());
        Self::from(Outcome::from_http_status(status)).retry_after(wait.map(Duration::from_nanos))
    }

    /// This verdict with another `retry_after`; `None` removes it.
    ///
    /// ```
    /// use backoff_retry::{Outcome, Verdict, parse_retry_after};
    /// let header = "120";
    /// let busy = Verdict::from(Outcome::Throttled).retry_after(parse_retry_after(header));
    /// assert_eq!(busy.retry_after.map(|wait| wait.as_secs()), Some(120));
    /// ```
    #[must_use]
    pub fn retry_after(self, retry_after: impl Into<Option<Duration>>) -> Self {
        Self { retry_after: retry_after.into(), ..self }
    }
}

impl From<Outcome> for Verdict {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, retry_after: None }
    }
}

/// What a classification may return: a `bool`, an [`Outcome`] or a [`Verdict`].
///
/// ```
/// use backoff_retry::{IntoVerdict, Outcome};
/// assert_eq!(true.into_verdict(Outcome::Permanent).outcome, Outcome::Transient);
/// assert_eq!(false.into_verdict(Outcome::Permanent).outcome, Outcome::Permanent);
/// assert_eq!(Outcome::Timeout.into_verdict(Outcome::Permanent).outcome, Outcome::Timeout);
/// ```
pub trait IntoVerdict {
    /// The verdict. `true` is [`Outcome::Transient`]; `false` is `otherwise`, which is
    /// `Permanent` for a failure and `Success` for a value.
    fn into_verdict(self, otherwise: Outcome) -> Verdict;
}

impl IntoVerdict for bool {
    fn into_verdict(self, otherwise: Outcome) -> Verdict {
        if self { Outcome::Transient } else { otherwise }.into()
    }
}

impl IntoVerdict for Outcome {
    fn into_verdict(self, _: Outcome) -> Verdict {
        self.into()
    }
}

impl IntoVerdict for Verdict {
    fn into_verdict(self, _: Outcome) -> Verdict {
        self
    }
}

/// The wait that a `Retry-After` header asks for: a number of seconds, or a date, which is compared
/// with the system's clock. `None` if the value is neither (SPEC 14).
///
/// With a clock of your own use [`parse_retry_after_ns`](crate::parse_retry_after_ns).
///
/// ```
/// use std::time::Duration;
/// assert_eq!(backoff_retry::parse_retry_after("120"), Some(Duration::from_secs(120)));
/// assert_eq!(backoff_retry::parse_retry_after("soon"), None);
/// ```
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
#[must_use]
pub fn parse_retry_after(header: impl AsRef<[u8]>) -> Option<Duration> {
    backoff_core::parse_retry_after_ns(header, now_ns()).map(Duration::from_nanos)
}

/// The nanoseconds since 1970.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
fn now_ns() -> u64 {
    crate::time::nanoseconds(std::time::UNIX_EPOCH.elapsed().unwrap_or_default())
}
