//! The values of all fields of a policy or a budget.

use crate::field::waits::Waits;
use crate::field::{Field, POLICY_FIELDS};
use crate::number::ratio::Ratio;

/// The ratio 0.
pub(crate) const ZERO: u64 = Ratio::new(0, 1).to_value();

/// The value of each field of a policy or of a budget, with every default filled in. Unused
/// fields are 0, so equal policies have equal values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(C)]
pub(crate) struct FieldValues {
    numbers: [u64; POLICY_FIELDS.len()],
    /// The waits, of which `numbers` has the length.
    waits: Waits,
}

impl FieldValues {
    pub(crate) fn get(&self, field: Field) -> u64 {
        self.numbers.get(field.position()).copied().unwrap_or_default()
    }

    pub(crate) fn set(&mut self, field: Field, value: u64) {
        if let Some(slot) = self.numbers.get_mut(field.position()) {
            *slot = value;
        }
    }

    pub(crate) const fn waits(&self) -> &Waits {
        &self.waits
    }

    pub(crate) fn set_waits(&mut self, waits: Waits) {
        self.set(Field::Waits, waits.length());
        self.waits = waits;
    }

    /// The number of the kind that a field has.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "kinds are small; memory from C may hold anything, and every value is handled"
    )]
    pub(crate) fn kind(&self, field: Field) -> u32 {
        self.get(field) as u32
    }

    /// Whether the policy or budget uses a field.
    pub(crate) fn uses(&self, field: Field) -> bool {
        let (selector, kinds) = field.used_by();
        kinds.wrapping_shr(self.kind(selector)) & 1 == 1
    }

    /// Whether a policy string must name a field: the field is used and differs from its default.
    pub(crate) fn is_explicit(&self, field: Field) -> bool {
        let differs = match field {
            // If only one of the two fractions is 0, the other one alone says so.
            Field::JitterBelow => self.get(field) != ZERO || self.get(Field::JitterAbove) == ZERO,
            _ => field.default_value(self) != Some(self.get(field)),
        };
        differs && self.uses(field)
    }
}
