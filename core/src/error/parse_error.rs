//! Why a policy string or a budget string is refused.

use core::fmt;

use crate::error::code::ErrorCode;
use crate::error::message::{Excerpt, MessageArgs};
use crate::field::Field;
use crate::text::buffer::TextBuf;
use crate::text::kind::TextKind;

/// Why a policy string or a budget string was refused: the rule, the position, and the text found
/// there (SPEC 11).
///
/// ```
/// use backoff_core::{ErrorCode, Policy};
/// let error = Policy::parse("constant:bse=1s").unwrap_err();
/// assert_eq!((error.code(), error.at()), (ErrorCode::UnknownKey, 9));
/// assert!(error.to_string().starts_with("at 9: unknown key \"bse\"; the keys are base, "));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ParseError {
    pub(crate) kind: TextKind,
    pub(crate) code: ErrorCode,
    pub(crate) field: Option<Field>,
    pub(crate) value: u64,
    pub(crate) limit: u64,
    pub(crate) at: usize,
    pub(crate) found: Excerpt,
}

impl ParseError {
    /// The number of bytes of the found text that an error keeps.
    pub const FOUND_CAPACITY: usize = Excerpt::CAPACITY;

    pub(crate) const fn kind(&self) -> TextKind {
        self.kind
    }

    /// The broken rule.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        self.code
    }

    /// The field that broke it, if the rule concerns a field.
    #[must_use]
    pub const fn field(&self) -> Option<Field> {
        self.field
    }

    /// The value of the field if it broke a rule of SPEC 8; otherwise 0.
    #[must_use]
    pub const fn value(&self) -> u64 {
        self.value
    }

    /// The limit that the value broke, if it broke a rule of SPEC 8; otherwise 0.
    #[must_use]
    pub const fn limit(&self) -> u64 {
        self.limit
    }

    /// The position in the text, in bytes from 0.
    #[must_use]
    pub const fn at(&self) -> usize {
        self.at
    }

    /// The text found there: its first [`FOUND_CAPACITY`](Self::FOUND_CAPACITY) bytes.
    #[must_use]
    pub fn found(&self) -> &[u8] {
        self.found.bytes()
    }

    /// The length of the found text in bytes.
    #[must_use]
    pub const fn found_length(&self) -> usize {
        self.found.length
    }

    /// The message, built without `core::fmt` (SPEC 11.7).
    #[must_use]
    pub fn message(&self) -> TextBuf {
        let mut text = TextBuf::new();
        text.push("at ").push_number(self.at as u64).push(": ");
        let Self { kind, code, field, value, limit, ref found, .. } = *self;
        let found = Some((kind, found));
        MessageArgs { code, field, value, limit, found, shown: None }.write(&mut text);
        text
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.message().as_str())
    }
}

impl core::error::Error for ParseError {}
