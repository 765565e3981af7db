//! Why a policy is refused.

use core::fmt;

use crate::error::code::ErrorCode;
use crate::error::message::MessageArgs;
use crate::field::Field;
use crate::text::buffer::TextBuf;

/// Why a policy was refused: the rule, the field, its value and the limit (SPEC 8).
///
/// A refused policy string has a [`ParseError`](crate::ParseError).
///
/// ```
/// use std::time::Duration;
/// use backoff_core::{ErrorCode, Field, Policy};
/// let error = Policy::exponential(Duration::from_secs(2))
///     .cap(Duration::from_secs(1))
///     .build()
///     .unwrap_err();
/// assert_eq!(error.code(), ErrorCode::CapBelowBase);
/// assert_eq!(error.field(), Field::Cap);
/// assert_eq!(error.to_string(), "cap 1s is below base 2s");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PolicyError {
    pub(crate) code: ErrorCode,
    pub(crate) field: Field,
    pub(crate) value: u64,
    pub(crate) limit: u64,
}

impl PolicyError {
    pub(crate) const fn new(code: ErrorCode, field: Field, value: u64, limit: u64) -> Self {
        Self { code, field, value, limit }
    }

    /// The broken rule.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        self.code
    }

    /// The field that broke it.
    #[must_use]
    pub const fn field(&self) -> Field {
        self.field
    }

    /// The value of the field in its unit: 0 if the field was not set, and 2^64 - 1 for a
    /// duration of more nanoseconds than that.
    #[must_use]
    pub const fn value(&self) -> u64 {
        self.value
    }

    /// The limit that the value broke (SPEC 8 defines it for each code).
    #[must_use]
    pub const fn limit(&self) -> u64 {
        self.limit
    }

    /// The message, built without `core::fmt`.
    #[must_use]
    pub fn message(&self) -> TextBuf {
        self.render(None)
    }

    /// The message with the value as the caller wrote it, for a value that has no number: an
    /// unknown name, or a number beyond 64 bits. It must be UTF-8; at most 128 bytes of it are shown.
    ///
    /// ```
    /// use std::time::Duration;
    /// use backoff_core::Policy;
    /// let error = Policy::exponential(Duration::MAX).build().unwrap_err();
    /// let message = error.message_with("1e300 years");
    /// assert_eq!(message.as_str(), "base 1e300 years is above 9223372036854775807ns");
    /// ```
    #[must_use]
    pub fn message_with(&self, shown: impl AsRef<[u8]>) -> TextBuf {
        self.render(Some(shown.as_ref()))
    }

    fn render(&self, shown: Option<&[u8]>) -> TextBuf {
        let mut text = TextBuf::new();
        let Self { code, field, value, limit } = *self;
        MessageArgs { code, field: Some(field), value, limit, found: None, shown }.write(&mut text);
        text
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.message().as_str())
    }
}

impl core::error::Error for PolicyError {}
