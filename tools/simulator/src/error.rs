//! Why an experiment cannot be run.

use backoff_core::{Field, ParseError};

/// Why an experiment cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExperimentError {
    /// A number is out of its range.
    #[error("{what} {value} is not from {min} to {max}")]
    OutOfRange {
        /// What the number counts.
        what: &'static str,
        /// The number.
        value: u64,
        /// The least.
        min: u64,
        /// The largest.
        max: u64,
    },
    /// A policy sets a field that simulated clients ignore; the value that they have.
    #[error("a policy with {0} cannot be simulated; set {0}={1}")]
    Field(Field, &'static str),
    /// A budget string is invalid.
    #[error("{0}")]
    Budget(ParseError),
}

/// Checks that a number is in its range.
pub(crate) fn check_range(
    what: &'static str,
    value: u64,
    min: u64,
    max: u64,
) -> Result<(), ExperimentError> {
    if (min..=max).contains(&value) {
        Ok(())
    } else {
        Err(ExperimentError::OutOfRange { what, value, min, max })
    }
}
