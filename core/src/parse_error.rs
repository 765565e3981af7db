//! Why a line was refused.

use core::fmt;

use crate::error::ErrorCode;
use crate::field::Field;
use crate::line::LineKind;
use crate::message::Parts;
use crate::text::Text;

/// Why a line was refused: which rule it broke, where, and what was found there (SPEC 11).
///
/// ```
/// use backoff_core::{ErrorCode, Policy};
/// let error = Policy::parse("constant:bse=1s").unwrap_err();
/// assert_eq!((error.code(), error.at()), (ErrorCode::UnknownKey, 9));
/// assert!(error.to_string().starts_with("at 9: unknown key \"bse\"; the keys are base, "));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ParseError {
    pub(crate) kind: LineKind,
    pub(crate) code: ErrorCode,
    pub(crate) field: Option<Field>,
    pub(crate) value: u64,
    pub(crate) limit: u64,
    pub(crate) at: usize,
    pub(crate) found: Found,
}

/// The beginning of what was found, and how long it is in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Found {
    bytes: [u8; ParseError::SHOWN],
    length: usize,
}

impl Found {
    pub(crate) fn new(found: &[u8]) -> Self {
        let mut bytes = [0; ParseError::SHOWN];
        for (slot, byte) in bytes.iter_mut().zip(found) {
            *slot = *byte;
        }
        Self { bytes, length: found.len() }
    }
}

impl ParseError {
    /// How much of what was found an error keeps, in bytes.
    pub const SHOWN: usize = 32;

    /// The error of these parts, for a binding that kept them as numbers: `found` is what
    /// [`ParseError::found`] gave, of `length` bytes in all.
    #[must_use]
    pub fn from_parts(
        kind: LineKind,
        code: ErrorCode,
        field: Option<Field>,
        (value, limit): (u64, u64),
        at: usize,
        (found, length): (&[u8], usize),
    ) -> Self {
        let found = Found { length, ..Found::new(found) };
        Self { kind, code, field, value, limit, at, found }
    }

    /// Whether the line was that of a policy or of a budget.
    #[must_use]
    pub const fn kind(&self) -> LineKind {
        self.kind
    }

    /// The rule that was broken.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        self.code
    }

    /// The field that broke it, if it is a rule of a field.
    #[must_use]
    pub const fn field(&self) -> Option<Field> {
        self.field
    }

    /// The value of the field, if it broke a rule of SPEC 8; else 0.
    #[must_use]
    pub const fn value(&self) -> u64 {
        self.value
    }

    /// What the value was measured against, if it broke a rule of SPEC 8; else 0.
    #[must_use]
    pub const fn limit(&self) -> u64 {
        self.limit
    }

    /// Where in the line, in bytes from 0.
    #[must_use]
    pub const fn at(&self) -> usize {
        self.at
    }

    /// What was found there: its first [`SHOWN`](Self::SHOWN) bytes.
    #[must_use]
    pub fn found(&self) -> &[u8] {
        self.found.bytes.get(..self.found.length).unwrap_or(&self.found.bytes)
    }

    /// How long it is that was found, in bytes.
    #[must_use]
    pub const fn found_length(&self) -> usize {
        self.found.length
    }

    /// The message, without the formatting machinery of `core::fmt` (SPEC 11.7).
    #[must_use]
    pub fn text(&self) -> Text {
        let mut text = Text::new();
        text.push("at ").push_number(self.at as u64).push(": ");
        let Self { code, field, value, limit, .. } = *self;
        Parts { code, field, value, limit, line: Some(self) }.write(&mut text);
        text
    }

    /// What was found, in quotes and made printable.
    pub(crate) fn push_found(&self, text: &mut Text) {
        text.push("\"");
        for &byte in self.found() {
            text.push_printable(byte);
        }
        text.push(if self.found.length > Self::SHOWN { "...\"" } else { "\"" });
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text().as_str())
    }
}

impl core::error::Error for ParseError {}
