//! The values of all fields of a policy or a budget, and their defaults (SPEC 5.1, 15.1).

use crate::field::kind::{AT_LEAST, DECORRELATED, NONE, ON_WINDOW, QUOTA, RATE, RATIO, THROTTLE};
use crate::field::{Field, POLICY_FIELDS};
use crate::number::arithmetic::{MAX_NS, NS_PER_SECOND};
use crate::number::ratio::Ratio;

/// As many retries as there are indices.
pub(crate) const EVERY_INDEX: u64 = 1 << 32;

pub(crate) const MINUTE: u64 = 60 * NS_PER_SECOND;
pub(crate) const HOUR: u64 = 60 * MINUTE;

const ZERO: u64 = Ratio::new(0, 1).to_value();
const TWO: u64 = Ratio::new(2, 1).to_value();
const THREE: u64 = Ratio::new(3, 1).to_value();
const TENTH: u64 = Ratio::new(1, 10).to_value();
const FIFTH: u64 = Ratio::new(1, 5).to_value();

/// The value of each field of a policy or of a budget, with every default filled in. Unused
/// fields are 0, so equal policies have equal values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub(crate) struct FieldValues([u64; POLICY_FIELDS.len()]);

impl FieldValues {
    pub(crate) fn get(&self, field: Field) -> u64 {
        self.0.get(field.position()).copied().unwrap_or_default()
    }

    pub(crate) fn set(&mut self, field: Field, value: u64) {
        if let Some(slot) = self.0.get_mut(field.position()) {
            *slot = value;
        }
    }

    pub(crate) fn ratio(&self, field: Field) -> Ratio {
        Ratio::from_value(self.get(field))
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
            _ => self.default_value(field) != Some(self.get(field)),
        };
        differs && self.uses(field)
    }

    /// The value of a field that was not given, or `None` if the field is required.
    pub(crate) fn default_value(&self, field: Field) -> Option<u64> {
        let budget = self.kind(Field::Budget);
        Some(match field {
            Field::Growth | Field::Base | Field::JitterMax | Field::JitterSlot | Field::Budget => {
                return None;
            }
            Field::Increment | Field::ThrottledBase => self.get(Field::Base),
            Field::Multiplier if self.kind(Field::Jitter) == DECORRELATED => THREE,
            Field::Multiplier => TWO,
            Field::Power => 2,
            Field::Origin => 1,
            Field::Cap | Field::MaxElapsed | Field::RetryAfterMaxExtra => MAX_NS,
            // A server must not be able to stop a client for ever.
            Field::RetryAfterMax => HOUR,
            Field::CapOn => ON_WINDOW.into(),
            Field::Jitter => NONE.into(),
            Field::RetryAfter => AT_LEAST.into(),
            Field::JitterBelow | Field::JitterAbove => ZERO,
            Field::MaxRetries => EVERY_INDEX,
            Field::Offset | Field::Floor | Field::JitterIncrement | Field::MaxAttempts => 0,
            Field::MaxTokens => match budget {
                QUOTA => 500,
                RATE => 60,
                _ => 10,
            },
            Field::Cost => 5,
            Field::CostThrottled | Field::CostTimeout => self.get(Field::Cost),
            Field::Ratio if matches!(budget, THROTTLE | RATIO) => TENTH,
            Field::Ratio => FIFTH,
            Field::Per => MINUTE,
            Field::Ttl => 10 * NS_PER_SECOND,
            Field::MinPerSecond => 10,
            Field::MinConcurrent => 3,
        })
    }
}
