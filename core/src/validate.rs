//! The rules of SPEC 8, in their order: the one place where a policy is refused.

use crate::arithmetic::MAX_NS;
use crate::error::{ErrorCode, PolicyError};
use crate::field::{Field, Unit};
use crate::kind::{
    ADDITIVE, AT_LEAST, DECORRELATED, EXPONENTIAL, LINEAR, NONE, ON_WINDOW, POLYNOMIAL,
    PROPORTIONAL, SLOTTED,
};
use crate::params::Params;
use crate::policy::Policy;
use crate::ratio::Ratio;

const MAX_POWER: u64 = 16;
/// As many retries as there are indices.
const EVERY_INDEX: u64 = 1 << 32;
/// The smallest multiplier that grows: it bounds the steps to any index.
const LEAST_GROWING: Ratio = Ratio::new(101, 100);
const ONE: Ratio = Ratio::new(1, 1);

pub(crate) type Checked<T> = Result<T, PolicyError>;

impl Params {
    /// The policy that these fields describe.
    ///
    /// # Errors
    /// The first rule of SPEC 8 that they break.
    pub fn build(&self) -> Result<Policy, PolicyError> {
        let growth = kind(self, Field::Growth, None)?;
        let jitter = kind(self, Field::Jitter, Some(NONE))?;
        let cap_on = kind(self, Field::CapOn, Some(ON_WINDOW))?;
        let hint = kind(self, Field::Hint, Some(AT_LEAST))?;
        let decorrelated = jitter == DECORRELATED;
        if decorrelated && growth != EXPONENTIAL {
            return Err(error(
                ErrorCode::NotExponential,
                Field::Growth,
                growth.into(),
                EXPONENTIAL.into(),
            ));
        }

        let by_growth =
            |field, used_by| Door { params: self, field, kind: growth, used: growth == used_by };
        let by_jitter =
            |field, used_by| Door { params: self, field, kind: jitter, used: jitter == used_by };
        let always = |field| Door { params: self, field, kind: growth, used: true };

        let base = always(Field::Base).required()?;
        let increment = by_growth(Field::Increment, LINEAR).or(base)?;
        let default_multiplier = Ratio::new(if decorrelated { 3 } else { 2 }, 1);
        let multiplier =
            by_growth(Field::Multiplier, EXPONENTIAL).or(default_multiplier.to_word())?;
        let power = by_growth(Field::Power, POLYNOMIAL).or(2)?;
        let origin = by_growth(Field::Origin, POLYNOMIAL).or(1)?;
        let offset =
            Door { params: self, field: Field::Offset, kind: jitter, used: !decorrelated }.or(0)?;
        let cap = always(Field::Cap).or(MAX_NS)?;
        let floor = always(Field::Floor).or(0)?;
        let no_part = Ratio::ZERO.to_word();
        let below = by_jitter(Field::JitterBelow, PROPORTIONAL);
        let below = match self.word(Field::JitterAbove) {
            Some(_) => below.or(no_part)?,
            None => below.required()?,
        };
        let above = by_jitter(Field::JitterAbove, PROPORTIONAL).or(no_part)?;
        let jitter_max = by_jitter(Field::JitterMax, ADDITIVE).required()?;
        let jitter_increment = by_jitter(Field::JitterIncrement, ADDITIVE).or(0)?;
        let jitter_slot = by_jitter(Field::JitterSlot, SLOTTED).required()?;

        let max_retries = self.max_retries(always(Field::MaxRetries))?;
        let max_elapsed = always(Field::MaxElapsed).or(MAX_NS)?;
        let throttled_base = always(Field::ThrottledBase).or(base)?;
        let hint_max = always(Field::HintMax).or(MAX_NS)?;
        let hint_max_extra = always(Field::HintMaxExtra).or(MAX_NS)?;

        if cap < base {
            return Err(error(ErrorCode::CapBelowBase, Field::Cap, cap, base));
        }
        if offset > cap {
            return Err(error(ErrorCode::OffsetAboveCap, Field::Offset, offset, cap));
        }
        if floor > cap {
            return Err(error(ErrorCode::FloorAboveCap, Field::Floor, floor, cap));
        }
        let multiplier = Ratio::from_word(multiplier);
        let stalls = |field, base: u64| {
            let needed = least_growing_base(multiplier);
            if growth == EXPONENTIAL && base > 0 && base < needed {
                return Err(error(ErrorCode::GrowthStalls, field, base, needed));
            }
            Ok(())
        };
        stalls(Field::Base, base)?;
        if throttled_base > cap {
            return Err(error(ErrorCode::TooLarge, Field::ThrottledBase, throttled_base, cap));
        }
        stalls(Field::ThrottledBase, throttled_base)?;

        Ok(Policy {
            growth,
            jitter,
            cap_on,
            #[expect(clippy::cast_possible_truncation, reason = "at most MAX_POWER")]
            power: power as u32,
            origin,
            base,
            increment,
            offset,
            cap,
            floor,
            multiplier,
            below: Ratio::from_word(below),
            above: Ratio::from_word(above),
            jitter_max,
            jitter_increment,
            jitter_slot,
            max_retries,
            max_elapsed,
            throttled_base,
            hint_max,
            hint_max_extra,
            hint,
            reserved: 0,
        })
    }

    /// The most retries, which may be given as the most attempts.
    fn max_retries(&self, door: Door<'_>) -> Checked<u64> {
        let max_retries = door.or(EVERY_INDEX)?;
        let field = Field::MaxAttempts;
        match (self.word(field), self.word(Field::MaxRetries)) {
            (Some(attempts), Some(retries)) => {
                Err(error(ErrorCode::GivenTwice, field, attempts, retries))
            }
            (Some(attempts), None) => Ok(in_range(field, attempts)?.saturating_sub(1)),
            (None, _) => Ok(max_retries),
        }
    }
}

pub(crate) const fn error(code: ErrorCode, field: Field, value: u64, limit: u64) -> PolicyError {
    PolicyError { code, field, value, limit }
}

/// The number of a kind: one of its list, or the default where it was not given.
fn kind(params: &Params, field: Field, default: Option<u32>) -> Checked<u32> {
    let Unit::Kind(names) = field.unit() else {
        return Err(error(ErrorCode::UnknownKind, field, 0, 0));
    };
    let count = names.len() as u64;
    match (params.word(field), default) {
        (Some(word), _) if (1..=count).contains(&word) => {
            Ok(u32::try_from(word).unwrap_or_default())
        }
        (Some(word), _) => Err(error(ErrorCode::UnknownKind, field, word, count)),
        (None, Some(default)) => Ok(default),
        (None, None) => Err(error(ErrorCode::Missing, field, 0, 0)),
    }
}

/// One field on its way in: whether this policy uses it, and by which kind.
struct Door<'a> {
    params: &'a Params,
    field: Field,
    kind: u32,
    used: bool,
}

impl Door<'_> {
    /// The value that was given or else the default; 0 for a field that is not used, so
    /// that equal policies are equal words.
    fn or(self, default: u64) -> Checked<u64> {
        match self.params.word(self.field) {
            Some(word) if !self.used => {
                Err(error(ErrorCode::Unused, self.field, word, self.kind.into()))
            }
            Some(word) => in_range(self.field, word),
            None if self.used => Ok(default),
            None => Ok(0),
        }
    }

    /// The value that was given; it has no default.
    fn required(self) -> Checked<u64> {
        if self.used && self.params.word(self.field).is_none() {
            return Err(error(ErrorCode::Missing, self.field, 0, 0));
        }
        self.or(0)
    }
}

/// The word, if it is in the range of its field; a ratio in lowest terms.
fn in_range(field: Field, word: u64) -> Checked<u64> {
    match (field, field.unit()) {
        (_, Unit::Ratio) => ratio_in_range(field, word),
        (Field::Power, _) => between(field, word, 1, MAX_POWER),
        (Field::Origin, _) => between(field, word, 0, u32::MAX.into()),
        (Field::JitterSlot, _) => between(field, word, 1, MAX_NS),
        (Field::MaxRetries, _) => between(field, word, 0, EVERY_INDEX),
        (Field::MaxAttempts, _) => between(field, word, 1, EVERY_INDEX.saturating_add(1)),
        _ => between(field, word, 0, MAX_NS),
    }
}

/// The word, if it is not out of its range.
pub(crate) fn between(field: Field, word: u64, least: u64, most: u64) -> Checked<u64> {
    if word > most {
        Err(error(ErrorCode::TooLarge, field, word, most))
    } else if word < least {
        Err(error(ErrorCode::TooSmall, field, word, least))
    } else {
        Ok(word)
    }
}

pub(crate) fn ratio_in_range(field: Field, word: u64) -> Checked<u64> {
    let ratio = Ratio::from_word(word);
    if ratio.denominator == 0 {
        return Err(error(ErrorCode::ZeroDenominator, field, word, 1));
    }
    if ratio.numerator.max(ratio.denominator) > Ratio::MAX_TERM {
        return Err(error(ErrorCode::RatioTooFine, field, word, Ratio::MAX_TERM.into()));
    }
    let too_small = |least: Ratio| Err(error(ErrorCode::TooSmall, field, word, least.to_word()));
    if field == Field::Multiplier {
        if ratio.is_below(ONE) {
            return too_small(ONE);
        }
        if ratio != ONE && ratio.is_below(LEAST_GROWING) {
            return too_small(LEAST_GROWING);
        }
    } else if ONE.is_below(ratio) {
        return Err(error(ErrorCode::TooLarge, field, word, ONE.to_word()));
    }
    Ok(ratio.to_word())
}

/// The smallest base that the multiplier, floored to a nanosecond, makes longer; 0 for a
/// multiplier of 1, which is not meant to.
pub(crate) fn least_growing_base(multiplier: Ratio) -> u64 {
    match multiplier.numerator.saturating_sub(multiplier.denominator) {
        0 => 0,
        excess => multiplier.denominator.div_ceil(excess).into(),
    }
}
