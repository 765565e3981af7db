//! From fields to a policy, by the rules of SPEC 8 in their order, and back.

use crate::error::{ErrorCode, PolicyError};
use crate::field::Field;
use crate::kind::{DECORRELATED, EXPONENTIAL};
use crate::params::Params;
use crate::policy::Policy;
use crate::ratio::Ratio;
use crate::rules::{Checked, Words, error};

impl Params {
    /// The policy that these fields describe.
    ///
    /// # Errors
    /// The first rule of SPEC 8 that they break.
    pub fn build(&self) -> Result<Policy, PolicyError> {
        // In the order in which they are judged.
        let kinds = [Field::Growth, Field::Jitter, Field::CapOn, Field::Hint];
        let mut words = self.kinds(&kinds)?;
        let growth = words.get(Field::Growth);
        if words.get(Field::Jitter) == DECORRELATED.into() && growth != EXPONENTIAL.into() {
            let needed = EXPONENTIAL.into();
            return Err(error(ErrorCode::NotExponential, Field::Growth, growth, needed));
        }
        self.others(&Field::ALL, &mut words)?;

        let [base, offset, cap, floor, throttled_base] =
            [Field::Base, Field::Offset, Field::Cap, Field::Floor, Field::ThrottledBase]
                .map(|field| words.get(field));
        if cap < base {
            return Err(error(ErrorCode::CapBelowBase, Field::Cap, cap, base));
        }
        if offset > cap {
            return Err(error(ErrorCode::OffsetAboveCap, Field::Offset, offset, cap));
        }
        if floor > cap {
            return Err(error(ErrorCode::FloorAboveCap, Field::Floor, floor, cap));
        }
        let policy = Policy::of(&words);
        policy.grows_from(Field::Base, base)?;
        if throttled_base > cap {
            return Err(error(ErrorCode::TooLarge, Field::ThrottledBase, throttled_base, cap));
        }
        policy.grows_from(Field::ThrottledBase, throttled_base)?;
        Ok(policy)
    }
}

impl Policy {
    /// Whether the multiplier, floored to a nanosecond, makes a base longer; a base of 0 and a
    /// multiplier of 1 are not meant to grow.
    fn grows_from(&self, field: Field, base: u64) -> Checked<()> {
        let needed = self.least_base();
        if base > 0 && base < needed {
            return Err(error(ErrorCode::GrowthStalls, field, base, needed));
        }
        Ok(())
    }

    /// The smallest base that grows, at least 1.
    pub(crate) fn least_base(&self) -> u64 {
        let Ratio { numerator, denominator } = self.multiplier;
        match numerator.saturating_sub(denominator) {
            0 => 1,
            excess => denominator.div_ceil(excess).into(),
        }
    }

    /// The policy of checked words.
    fn of(words: &Words) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "kinds and powers are small")]
        let small = |field| words.get(field) as u32;
        let ratio = |field| Ratio::from_word(words.get(field));
        Self {
            growth: small(Field::Growth),
            jitter: small(Field::Jitter),
            cap_on: small(Field::CapOn),
            power: small(Field::Power),
            base: words.get(Field::Base),
            increment: words.get(Field::Increment),
            multiplier: ratio(Field::Multiplier),
            origin: words.get(Field::Origin),
            offset: words.get(Field::Offset),
            cap: words.get(Field::Cap),
            floor: words.get(Field::Floor),
            below: ratio(Field::JitterBelow),
            above: ratio(Field::JitterAbove),
            jitter_max: words.get(Field::JitterMax),
            jitter_increment: words.get(Field::JitterIncrement),
            jitter_slot: words.get(Field::JitterSlot),
            max_retries: words.get(Field::MaxRetries),
            max_elapsed: words.get(Field::MaxElapsed),
            throttled_base: words.get(Field::ThrottledBase),
            hint_max: words.get(Field::HintMax),
            hint_max_extra: words.get(Field::HintMaxExtra),
            hint: small(Field::Hint),
            reserved: 0,
        }
    }

    /// Its words, in the order of the fields.
    pub(crate) fn words(&self) -> Words {
        Words([
            self.growth.into(),
            self.base,
            self.increment,
            self.multiplier.to_word(),
            self.power.into(),
            self.origin,
            self.offset,
            self.cap,
            self.cap_on.into(),
            self.floor,
            self.jitter.into(),
            self.below.to_word(),
            self.above.to_word(),
            self.jitter_max,
            self.jitter_increment,
            self.jitter_slot,
            self.max_retries,
            0,
            self.max_elapsed,
            self.throttled_base,
            self.hint.into(),
            self.hint_max,
            self.hint_max_extra,
        ])
    }

    /// The fields of this policy with its defaults filled in; fields that its growth and
    /// jitter do not use stay out. Building them again gives an equal policy.
    #[must_use]
    pub fn params(&self) -> Params {
        let words = self.words();
        Params::of(&words, |field| words.uses(field))
    }

    /// The fields that this policy cannot do without: those that its line shows.
    pub(crate) fn least_params(&self) -> Params {
        let words = self.words();
        Params::of(&words, |field| words.shows(field))
    }
}
