//! The one door through which every language hands over a policy.

use crate::field::Field;
use crate::kind::{ADDITIVE, DECORRELATED, EXPONENTIAL, LINEAR, POLYNOMIAL, PROPORTIONAL, SLOTTED};
use crate::policy::Policy;

/// The fields of a policy before they are checked: each given or not, as a plain number.
///
/// Rust callers use [`PolicyBuilder`](crate::PolicyBuilder); this is the form in which the
/// bindings hand over what their callers gave, so that one check serves all languages.
///
/// ```
/// use backoff_core::{Field, Params};
/// let mut params = Params::default();
/// params.set(Field::Growth, Field::Growth.kind_number("constant"));
/// params.set(Field::Base, 1_000_000_000);
/// params.set(Field::Cap, 5);
/// assert_eq!(params.build().unwrap_err().to_string(), "cap 5ns is below base 1s");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Params {
    words: [Option<u64>; Field::ALL.len()],
}

impl Params {
    /// Gives a field its number: nanoseconds, a kind, a count, or a ratio as
    /// [`Ratio::to_word`](crate::Ratio::to_word) packs it.
    pub fn set(&mut self, field: Field, word: u64) {
        if let Some(slot) = self.words.get_mut(position(field)) {
            *slot = Some(word);
        }
    }

    /// Takes a field back, as if it had not been given.
    pub fn clear(&mut self, field: Field) {
        if let Some(slot) = self.words.get_mut(position(field)) {
            *slot = None;
        }
    }

    /// The number that a field was given, if it was.
    #[must_use]
    pub fn word(&self, field: Field) -> Option<u64> {
        self.words.get(position(field)).copied().flatten()
    }
}

impl Policy {
    /// The fields of this policy with its defaults filled in; fields that its growth and
    /// jitter do not use stay out. Building them again gives an equal policy.
    #[must_use]
    pub fn params(&self) -> Params {
        let mut params = Params::default();
        let fields = [
            (Field::Growth, self.growth.into(), true),
            (Field::Base, self.base, true),
            (Field::Increment, self.increment, self.growth == LINEAR),
            (Field::Multiplier, self.multiplier.to_word(), self.growth == EXPONENTIAL),
            (Field::Power, self.power.into(), self.growth == POLYNOMIAL),
            (Field::Origin, self.origin, self.growth == POLYNOMIAL),
            (Field::Offset, self.offset, self.jitter != DECORRELATED),
            (Field::Cap, self.cap, true),
            (Field::CapOn, self.cap_on.into(), true),
            (Field::Floor, self.floor, true),
            (Field::Jitter, self.jitter.into(), true),
            (Field::JitterBelow, self.below.to_word(), self.jitter == PROPORTIONAL),
            (Field::JitterAbove, self.above.to_word(), self.jitter == PROPORTIONAL),
            (Field::JitterMax, self.jitter_max, self.jitter == ADDITIVE),
            (Field::JitterIncrement, self.jitter_increment, self.jitter == ADDITIVE),
            (Field::JitterSlot, self.jitter_slot, self.jitter == SLOTTED),
            (Field::MaxRetries, self.max_retries, true),
            (Field::MaxElapsed, self.max_elapsed, true),
            (Field::ThrottledBase, self.throttled_base, true),
            (Field::Hint, self.hint.into(), true),
            (Field::HintMax, self.hint_max, true),
            (Field::HintMaxExtra, self.hint_max_extra, true),
        ];
        for (field, word, _) in fields.into_iter().filter(|(_, _, used)| *used) {
            params.set(field, word);
        }
        params
    }
}

const fn position(field: Field) -> usize {
    (field as usize).wrapping_sub(1)
}
