//! Policies from the numbers of a configuration.

use std::time::Duration;

use backoff_core::{Field, FieldValue, Jitter, Policy, PolicyBuilder, Ratio};

use crate::error::ImportError;
use crate::text::ns;

/// A policy that is read: its fields so far.
pub(crate) struct Read(PolicyBuilder);

impl Read {
    /// A window that is always the base.
    pub(crate) fn constant(base: u64) -> Self {
        Self(Policy::constant(Duration::from_nanos(base)))
    }

    /// A window that multiplies up to a cap. With multiplier 1 it is constant, and has no cap.
    pub(crate) fn growing(base: u64, multiplier: Ratio, cap: Option<u64>) -> Self {
        let one = Ratio::new(1, 1);
        let falls = multiplier.numerator() < multiplier.denominator();
        if multiplier == one || (cap == Some(base) && !falls) {
            return Self::constant(base);
        }
        let grown = Self(Policy::exponential(Duration::from_nanos(base)).multiplier(multiplier));
        match cap {
            Some(cap) => grown.with(Field::Cap, ns(cap)),
            None => grown,
        }
    }

    pub(crate) fn with(self, field: Field, value: FieldValue) -> Self {
        Self(self.0.set(field, value))
    }

    pub(crate) fn kind(self, field: Field, name: &'static str) -> Self {
        self.with(field, FieldValue::Kind(name))
    }

    /// A limit of each attempt, if there is one.
    pub(crate) fn attempt_timeout(self, limit: Option<u64>) -> Self {
        match limit.filter(|&limit| limit > 0) {
            Some(limit) => self.with(Field::AttemptTimeout, ns(limit)),
            None => self,
        }
    }

    /// Jitter of a fraction of the window to both sides.
    pub(crate) fn jitter(self, fraction: Ratio) -> Self {
        Self(self.0.jitter(Jitter::Proportional { below: fraction, above: fraction }))
    }

    /// Builds the policy. An error names the place in the text.
    pub(crate) fn policy(&self, at: &str) -> Result<Policy, ImportError> {
        self.0.build().map_err(|error| ImportError::new(at, error.to_string()))
    }
}
