//! A duration on its own, such as an argument of a program, in the grammar of policy strings.

use core::fmt;

use crate::error::code::ErrorCode;
use crate::error::message::{Excerpt, MessageArgs};
use crate::number::arithmetic::MAX_NS;
use crate::parse::value::{ValueError, duration};
use crate::text::buffer::TextBuf;
use crate::text::kind::TextKind;

/// Why a text is not a duration: the message names the rule, and what was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DurationError {
    code: ErrorCode,
    /// The value, if it is too large.
    value: u64,
    found: Excerpt,
}

/// The nanoseconds of a duration as policy strings write it, such as `100ms` (SPEC 11.4), at most
/// [`MAX_NS`](crate::MAX_NS). [`FieldValue::Duration`](crate::FieldValue::Duration) prints it again.
///
/// ```
/// use backoff_core::{ErrorCode, parse_duration_ns};
/// assert_eq!(parse_duration_ns("1.5s"), Ok(1_500_000_000));
/// assert_eq!(parse_duration_ns("0.007d"), Ok(604_800_000_000));
/// assert_eq!(parse_duration_ns("9223372036854775807ns"), Ok(i64::MAX as u64));
/// assert_eq!(parse_duration_ns("15").unwrap_err().code(), ErrorCode::MissingUnit);
/// let message = |text: &str| parse_duration_ns(text).unwrap_err().to_string();
/// assert_eq!(message(""), r#"the duration "" is not a duration such as 100ms or 1.5s"#);
/// assert_eq!(message("700"), "the duration has no unit; the units are d, h, m, s, ms, us, ns");
/// assert!(message("1m30s").starts_with(
///     r#"the duration has the unknown unit "m30s" (a duration has one unit); the units are d"#
/// ));
/// assert_eq!(message("0.5ns"), r#"the duration "0.5ns" is not a whole number of nanoseconds"#);
/// assert_eq!(
///     message("9223372036854775808ns"),
///     "the duration 9223372036854775808ns is above 9223372036854775807ns"
/// );
/// ```
///
/// # Errors
/// The first condition of SPEC 11.5 that holds, or the text is above the longest duration.
pub fn parse_duration_ns(text: impl AsRef<[u8]>) -> Result<u64, DurationError> {
    let text = text.as_ref();
    let error = |code, value, found| DurationError { code, value, found: Excerpt::new(found) };
    match duration(text) {
        Ok(ns) if ns > MAX_NS => Err(error(ErrorCode::TooLarge, ns, text)),
        Ok(ns) => Ok(ns),
        Err(ValueError { code, start, end }) => {
            Err(error(code, 0, text.get(start..end).unwrap_or_default()))
        }
    }
}

impl DurationError {
    /// The broken rule.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        self.code
    }
}

impl fmt::Display for DurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, value, ref found } = *self;
        let mut text = TextBuf::new();
        text.push("the duration");
        if code == ErrorCode::TooLarge {
            text.push(" ").push_duration(value).push(" is above ").push_duration(MAX_NS);
        } else {
            let found = Some((TextKind::Policy, found));
            MessageArgs { code, field: None, value, limit: 0, found, shown: None }.write(&mut text);
        }
        f.pad(text.as_str())
    }
}

impl core::error::Error for DurationError {}
