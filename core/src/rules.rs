//! The rules of the fields, of policies (SPEC 5.1) and of budgets (SPEC 15.1): the one place for
//! who uses a field, its range, and what it means not to give it.

use crate::arithmetic::MAX_NS;
use crate::error::{ErrorCode, PolicyError};
use crate::field::{Field, Unit};
use crate::kind::{
    ADDITIVE, AT_LEAST, CONCURRENT, DECORRELATED, EXPONENTIAL, LINEAR, NONE, ON_WINDOW, POLYNOMIAL,
    PROPORTIONAL, QUOTA, RATE, RATIO, SLOTTED, THROTTLE, TTL,
};
use crate::params::Params;
use crate::ratio::Ratio;

/// As many retries as there are indices.
const EVERY_INDEX: u64 = 1 << 32;
/// The smallest multiplier that grows: it bounds the steps to any index.
const LEAST_GROWING: Ratio = Ratio::new(101, 100);
const ONE: Ratio = Ratio::new(1, 1);

const SECOND: u64 = 1_000_000_000;
const MINUTE: u64 = 60 * SECOND;
const DAY: u64 = 1440 * MINUTE;

pub(crate) type Checked<T> = Result<T, PolicyError>;

/// The word of each field of a policy or a budget, with nothing left to default: 0 where the
/// field is not used, so that equal policies are equal words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Words(pub(crate) [u64; Field::ALL.len()]);

impl Words {
    pub(crate) fn get(&self, field: Field) -> u64 {
        self.0.get(field.position()).copied().unwrap_or_default()
    }

    pub(crate) fn set(&mut self, field: Field, word: u64) {
        if let Some(slot) = self.0.get_mut(field.position()) {
            *slot = word;
        }
    }

    /// Whether what has these words uses a field.
    pub(crate) fn uses(&self, field: Field) -> bool {
        let (governor, kinds) = users(field);
        kinds.wrapping_shr(self.kind(governor)) & 1 == 1
    }

    /// Whether these words cannot do without that of a field.
    pub(crate) fn shows(&self, field: Field) -> bool {
        let is_shown = match field {
            // One of the two parts says that the other is 0.
            Field::JitterBelow => {
                self.get(field) != NOTHING || self.get(Field::JitterAbove) == NOTHING
            }
            _ => self.unless_given(field) != Some(self.get(field)),
        };
        is_shown && self.uses(field)
    }

    #[expect(clippy::cast_possible_truncation, reason = "a small number, or C's words of nothing")]
    fn kind(&self, governor: Field) -> u32 {
        self.get(governor) as u32
    }

    /// What it means not to give a field, if it may be left out.
    fn unless_given(&self, field: Field) -> Option<u64> {
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
            Field::Cap | Field::MaxElapsed | Field::HintMax | Field::HintMaxExtra => MAX_NS,
            Field::CapOn => ON_WINDOW.into(),
            Field::Jitter => NONE.into(),
            Field::Hint => AT_LEAST.into(),
            Field::JitterBelow | Field::JitterAbove => NOTHING,
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
            Field::Ttl => 10 * SECOND,
            Field::MinPerSecond => 10,
            Field::MinConcurrent => 3,
        })
    }

    /// The word, if it is in the range of its field; a ratio in lowest terms.
    fn in_range(&self, field: Field, word: u64) -> Checked<u64> {
        if field.unit() == Unit::Ratio {
            return ratio_in_range(field, word);
        }
        let (least, most) = match field {
            Field::Power => (1, 16),
            Field::Origin | Field::MinConcurrent => (0, u32::MAX.into()),
            Field::JitterSlot => (1, MAX_NS),
            Field::MaxRetries => (0, EVERY_INDEX),
            Field::MaxAttempts => (1, EVERY_INDEX.saturating_add(1)),
            Field::MaxTokens => match self.kind(Field::Budget) {
                THROTTLE => (1, 1000),
                RATE => (1, 100_000),
                _ => (1, 1_000_000),
            },
            Field::Cost | Field::CostThrottled | Field::CostTimeout => {
                (1, self.get(Field::MaxTokens))
            }
            Field::Per => (1, DAY),
            Field::Ttl => (SECOND, MINUTE),
            Field::MinPerSecond => (0, 1_000_000),
            _ => (0, MAX_NS),
        };
        between(field, word, least, most)
    }
}

const NOTHING: u64 = Ratio::new(0, 1).to_word();
const TWO: u64 = Ratio::new(2, 1).to_word();
const THREE: u64 = Ratio::new(3, 1).to_word();
const TENTH: u64 = Ratio::new(1, 10).to_word();
const FIFTH: u64 = Ratio::new(1, 5).to_word();

/// The field whose kind decides whether this one is used, and the kinds that use it, as the
/// bits of their numbers.
pub(crate) fn users(field: Field) -> (Field, u32) {
    const ALWAYS: u32 = !0;
    let (growth, jitter, budget) = (Field::Growth, Field::Jitter, Field::Budget);
    match field {
        Field::Increment => (growth, 1 << LINEAR),
        Field::Multiplier => (growth, 1 << EXPONENTIAL),
        Field::Power | Field::Origin => (growth, 1 << POLYNOMIAL),
        Field::Offset => (jitter, !(1 << DECORRELATED)),
        Field::JitterBelow | Field::JitterAbove => (jitter, 1 << PROPORTIONAL),
        Field::JitterMax | Field::JitterIncrement => (jitter, 1 << ADDITIVE),
        Field::JitterSlot => (jitter, 1 << SLOTTED),
        Field::MaxTokens => (budget, 1 << QUOTA | 1 << THROTTLE | 1 << RATIO | 1 << RATE),
        Field::Cost | Field::CostThrottled | Field::CostTimeout => (budget, 1 << QUOTA),
        Field::Ratio => (budget, 1 << THROTTLE | 1 << RATIO | 1 << TTL | 1 << CONCURRENT),
        Field::Per => (budget, 1 << RATE),
        Field::Ttl | Field::MinPerSecond => (budget, 1 << TTL),
        Field::MinConcurrent => (budget, 1 << CONCURRENT),
        _ => (growth, ALWAYS),
    }
}

impl Params {
    /// The kinds among some fields, which are judged first.
    pub(crate) fn kinds(&self, fields: &[Field]) -> Checked<Words> {
        let mut words = Words::default();
        for &field in fields {
            let Unit::Kind(names) = field.unit() else { continue };
            let most = names.len() as u64;
            match self.word(field).or(words.unless_given(field)) {
                Some(word) if (1..=most).contains(&word) => words.set(field, word),
                Some(word) => return Err(error(ErrorCode::UnknownKind, field, word, most)),
                None => return Err(error(ErrorCode::Missing, field, 0, 0)),
            }
        }
        Ok(words)
    }

    /// Each of the other fields, in their order.
    pub(crate) fn others(&self, fields: &[Field], words: &mut Words) -> Checked<()> {
        for &field in fields {
            let given = self.word(field);
            let word = match (field, field.unit(), given) {
                (_, Unit::Kind(_), _) | (Field::MaxAttempts, _, None) => continue,
                (Field::MaxAttempts, _, Some(attempts)) => {
                    if let Some(retries) = self.word(Field::MaxRetries) {
                        return Err(error(ErrorCode::GivenTwice, field, attempts, retries));
                    }
                    let retries = words.in_range(field, attempts)?.saturating_sub(1);
                    words.set(Field::MaxRetries, retries);
                    continue;
                }
                (_, _, Some(word)) if !words.uses(field) => {
                    let kind = words.get(users(field).0);
                    return Err(error(ErrorCode::Unused, field, word, kind));
                }
                _ if !words.uses(field) => continue,
                (Field::JitterBelow, _, None) if self.word(Field::JitterAbove).is_none() => None,
                _ => given.or(words.unless_given(field)),
            };
            let Some(word) = word else {
                return Err(error(ErrorCode::Missing, field, 0, 0));
            };
            words.set(field, words.in_range(field, word)?);
        }
        Ok(())
    }
}

pub(crate) const fn error(code: ErrorCode, field: Field, value: u64, limit: u64) -> PolicyError {
    PolicyError { code, field, value, limit }
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

fn ratio_in_range(field: Field, word: u64) -> Checked<u64> {
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
