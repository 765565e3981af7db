//! How a call ended, as its caller sees it (SPEC 18.3).

use std::time::Duration;

use backoff_core::Outcome;

/// How a call ended: an [`Outcome`], and maybe how long the server asked to wait.
///
/// ```
/// use backoff_retry::{Outcome, Verdict};
/// use std::time::Duration;
/// let busy = Verdict::from(Outcome::Throttled).hint(Duration::from_secs(2));
/// assert_eq!(busy.hint, Some(Duration::from_secs(2)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Verdict {
    /// The outcome.
    pub outcome: Outcome,
    /// The time that the server asked to wait; above 2^63 - 1 ns it counts as that (SPEC 13.2).
    pub hint: Option<Duration>,
}

impl Verdict {
    /// This verdict with a hint, or without one for `None`.
    #[must_use]
    pub fn hint(self, hint: impl Into<Option<Duration>>) -> Self {
        Self { hint: hint.into(), ..self }
    }
}

impl From<Outcome> for Verdict {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, hint: None }
    }
}

/// What a classification may answer: a `bool`, an [`Outcome`] or a [`Verdict`].
pub trait IntoVerdict {
    /// The verdict. `true` is [`Outcome::Transient`], and `false` is `otherwise`: `Permanent` for
    /// a failure, `Success` for a value.
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

/// How long a server asked to wait, by the value of its `Retry-After` header: seconds, or a date,
/// which is compared with the system's clock. `None` for a value that is neither (SPEC 14).
///
/// ```
/// use std::time::Duration;
/// assert_eq!(backoff_retry::retry_after("120"), Some(Duration::from_secs(120)));
/// assert_eq!(backoff_retry::retry_after("soon"), None);
/// ```
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
#[must_use]
pub fn retry_after(header: impl AsRef<[u8]>) -> Option<Duration> {
    let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
    backoff_core::retry_after_ns(header, crate::time::nanoseconds(now)).map(Duration::from_nanos)
}
