//! The fields that a caller set, before any rule is checked.

use crate::field::values::FieldValues;
use crate::field::waits::Waits;
use crate::field::{Field, POLICY_FIELDS};

/// The fields of a policy or of a budget before they are checked: each set or not set, as a plain
/// number. Every language passes its caller's fields in this form, so one check serves them all.
///
/// Zeroed memory is the empty set, and C keeps the struct in its caller's memory.
///
/// ```
/// use backoff_core::Field;
/// use backoff_core::ffi::{self, FieldSet};
/// let mut params = FieldSet::default();
/// params.set(Field::Growth, ffi::kind_number(Field::Growth, "constant"));
/// params.set(Field::Base, 1_000_000_000);
/// params.set(Field::Cap, 5);
/// let error = ffi::build_policy(&params).unwrap_err();
/// assert_eq!(error.to_string(), "cap 5ns is below base 1s");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(C)]
pub struct FieldSet {
    /// Bit `n` says whether the field at position `n` is set; the value of any other is 0.
    set: u64,
    values: FieldValues,
}

impl FieldSet {
    /// Every bit of a field.
    const ALL: u64 = (1 << POLICY_FIELDS.len()) - 1;

    /// The params whose bits and values these are: a bit for each field in the order of the
    /// numbers, a value for each, and the waits in nanoseconds, of which the value of the field is the number.
    #[must_use]
    pub fn from_bits(
        bits: u64,
        values: &[u64; POLICY_FIELDS.len()],
        waits: &[u64; Waits::MAX],
    ) -> Self {
        let mut params = Self::default();
        for (field, value) in POLICY_FIELDS.into_iter().zip(values) {
            if bits & bit(field) != 0 {
                params.set(field, *value);
            }
        }
        if let Some(length) = params.get(Field::Waits) {
            params.set_waits(Waits::new(waits, length));
        }
        params
    }

    /// The params of those fields of a policy that `includes` accepts.
    pub(crate) fn from_values(values: &FieldValues, includes: impl Fn(Field) -> bool) -> Self {
        let mut params = Self::default();
        for field in POLICY_FIELDS {
            if field != Field::MaxAttempts && includes(field) {
                params.set(field, values.get(field));
            }
        }
        params.values.set_waits(*values.waits());
        params
    }

    /// Sets a field but the waits: nanoseconds, a kind, a count, or a ratio as `ffi::ratio_value` packs it.
    pub fn set(&mut self, field: Field, value: u64) {
        self.values.set(field, value);
        self.set |= bit(field);
    }

    /// Sets the waits.
    pub fn set_waits(&mut self, waits: Waits) {
        self.values.set_waits(waits);
        self.set |= bit(Field::Waits);
    }

    /// The waits; none if they are not set.
    #[must_use]
    pub const fn waits(&self) -> &Waits {
        self.values.waits()
    }

    /// Sets a field to its value in other params.
    pub(crate) fn set_from(&mut self, other: &Self, field: Field) {
        match other.get(field) {
            Some(_) if field == Field::Waits => self.set_waits(*other.waits()),
            Some(value) => self.set(field, value),
            None => self.clear(field),
        }
    }

    /// Unsets a field.
    pub fn clear(&mut self, field: Field) {
        if field == Field::Waits {
            self.values.set_waits(Waits::default());
        }
        self.values.set(field, 0);
        self.set &= !bit(field);
    }

    /// The value of a field, if it is set; of the waits, their number.
    #[must_use]
    pub fn get(&self, field: Field) -> Option<u64> {
        (self.set & bit(field) != 0).then(|| self.values.get(field))
    }

    /// The bits of the fields that are set, in the order of the numbers from bit 0.
    #[must_use]
    pub const fn bits(&self) -> u64 {
        self.set
    }

    /// Whether only bits of fields are set. Memory that C never initialised may hold others.
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        self.set & !Self::ALL == 0
    }
}

/// The bit of a field of policies in [`FieldSet::bits`].
pub(crate) const fn bit(field: Field) -> u64 {
    #[expect(clippy::cast_possible_truncation, reason = "a position below 32")]
    1_u64.wrapping_shl(field.position() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_and_values_are_params_again() {
        let mut params = FieldSet::default();
        params.set(Field::Base, 5);
        params.set(Field::MaxRetries, 7);
        let values = POLICY_FIELDS.map(|field| params.get(field).unwrap_or(9));
        let again = FieldSet::from_bits(params.bits() | 1 << 63, &values, &[0; Waits::MAX]);
        assert_eq!(again, params);
    }

    #[test]
    fn bits_of_no_field_are_not_valid() {
        let valid = |set| FieldSet { set, ..FieldSet::default() }.is_valid();
        assert!(valid(0) && valid(1) && valid((1 << POLICY_FIELDS.len()) - 1));
        assert!(!valid(1 << POLICY_FIELDS.len()) && !valid(1 << 63 | 1));
    }
}
