//! Policies from the numbers of a configuration.

use backoff_core::ffi::{Params, build_policy, kind_number, ratio_value};
use backoff_core::{Field, Policy, Ratio};

use crate::error::ImportError;

/// A policy that is read: its fields so far.
#[derive(Default)]
pub(crate) struct Read(Params);

impl Read {
    /// A window that multiplies up to a cap. With multiplier 1 it is constant, and has no cap.
    pub(crate) fn growing(base: u64, multiplier: Ratio, cap: Option<u64>) -> Self {
        let one = Ratio::new(1, 1);
        let falls = multiplier.numerator() < multiplier.denominator();
        if multiplier == one || (cap == Some(base) && !falls) {
            return Self::default().kind(Field::Growth, "constant").with(Field::Base, base);
        }
        let value = ratio_value(multiplier.numerator(), multiplier.denominator());
        let grown = Self::default().kind(Field::Growth, "exponential").with(Field::Base, base);
        let grown = grown.with(Field::Multiplier, value);
        match cap {
            Some(cap) => grown.with(Field::Cap, cap),
            None => grown,
        }
    }

    pub(crate) fn with(mut self, field: Field, value: u64) -> Self {
        self.0.set(field, value);
        self
    }

    pub(crate) fn kind(self, field: Field, name: &str) -> Self {
        let number = kind_number(field, name);
        self.with(field, number)
    }

    /// Jitter of a fraction of the window to both sides.
    pub(crate) fn jitter(self, fraction: Ratio) -> Self {
        let value = ratio_value(fraction.numerator(), fraction.denominator());
        let read = self.kind(Field::Jitter, "proportional");
        read.with(Field::JitterBelow, value).with(Field::JitterAbove, value)
    }

    /// Builds the policy. An error names the place in the text.
    pub(crate) fn policy(&self, at: &str) -> Result<Policy, ImportError> {
        build_policy(&self.0).map_err(|error| ImportError::new(at, error.to_string()))
    }
}
