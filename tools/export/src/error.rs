//! Why a policy has no equivalent in a format, and why a text is not a policy.

use std::fmt;

use backoff_core::{Field, FieldValue};

use crate::format::Format;

/// A field of a policy, or a budget, that a format has no equivalent of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub(crate) format: Format,
    pub(crate) field: Field,
    pub(crate) value: String,
    pub(crate) reason: String,
    pub(crate) instead: Instead,
}

/// What the nearest export has in place of what has no equivalent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Instead {
    Nothing,
    /// These fields; `None` is a field that is not set.
    Fields(Vec<(Field, Option<FieldValue>)>),
    /// A budget string, or no budget.
    Budget(Option<String>),
}

impl Refusal {
    /// The field; [`Field::Budget`] for the budget as a whole.
    #[must_use]
    pub const fn field(&self) -> Field {
        self.field
    }

    /// The value of the field as policy strings write it; `none` for no limit.
    #[must_use]
    pub fn value(&self) -> &str {
        &self.value
    }

    /// What the engine does instead, and often what to set.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { format, field, value, reason, .. } = self;
        write!(f, "{} {value} has no equivalent in {}: {reason}", field.name(), format.engine())
    }
}

/// The parts of a policy or a budget that a format has no equivalent of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportError {
    pub(crate) refusals: Vec<Refusal>,
}

impl ExportError {
    /// One for each such field, at least one.
    #[must_use]
    pub fn refusals(&self) -> &[Refusal] {
        &self.refusals
    }
}

/// One line for each refusal.
impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, refusal) in self.refusals.iter().enumerate() {
            let line_feed = if position == 0 { "" } else { "\n" };
            write!(f, "{line_feed}{refusal}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ExportError {}

/// Why a text is not the configuration of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportError {
    at: String,
    reason: String,
    places: Vec<String>,
}

impl ImportError {
    pub(crate) fn new(at: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { at: at.into(), reason: reason.into(), places: Vec::new() }
    }

    /// The same error as one of a text with policies at several places.
    pub(crate) fn ambiguous(self, places: Vec<String>) -> Self {
        Self { places, ..self }
    }

    /// The place in the text, such as `retryPolicy.maxAttempts`; empty for the text as a whole.
    #[must_use]
    pub fn at(&self) -> &str {
        &self.at
    }

    /// Whether the text has several policies. The reason lists their places, and `at` of the options
    /// chooses one.
    #[must_use]
    pub fn is_ambiguous(&self) -> bool {
        !self.places.is_empty()
    }

    /// The places of the policies, if the text has several.
    #[must_use]
    pub fn places(&self) -> &[String] {
        &self.places
    }

    /// What is wrong there.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, reason, .. } = self;
        if at.is_empty() { f.write_str(reason) } else { write!(f, "{at}: {reason}") }
    }
}

impl std::error::Error for ImportError {}
