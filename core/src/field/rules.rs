//! The rules of single fields: which kinds use them, their defaults and their ranges (SPEC 5.1, 8.4, 15.1).

use crate::field::Field;
use crate::field::kind::{
    ADDITIVE, AT_LEAST, CONCURRENT, DECORRELATED, EXPONENTIAL, FROM_BEGIN, LINEAR, NONE, ON_WINDOW,
    POLYNOMIAL, PROPORTIONAL, QUOTA, RATE, RATIO, SLOTTED, STEPS, THROTTLE, TTL,
};
use crate::field::values::{FieldValues, ZERO};
use crate::number::arithmetic::{MAX_NS, NS_PER_SECOND};
use crate::number::ratio::Ratio;

/// As many retries as there are indices.
pub(crate) const EVERY_INDEX: u64 = 1 << 32;

/// The default cost of a retry.
pub(crate) const COST: u64 = 5;

const MINUTE: u64 = 60 * NS_PER_SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

const TWO: u64 = Ratio::new(2, 1).to_value();
const THREE: u64 = Ratio::new(3, 1).to_value();
const TENTH: u64 = Ratio::new(1, 10).to_value();
const FIFTH: u64 = Ratio::new(1, 5).to_value();

impl Field {
    /// The field whose kind decides whether this one is used, and a mask of the kinds that use it:
    /// bit `n` stands for kind number `n`.
    pub(crate) const fn used_by(self) -> (Self, u32) {
        const ALWAYS: u32 = !0;
        match self {
            Self::Base | Self::ThrottledBase => (Self::Growth, !(1 << STEPS)),
            Self::Waits => (Self::Growth, 1 << STEPS),
            Self::Increment => (Self::Growth, 1 << LINEAR),
            Self::Multiplier => (Self::Growth, 1 << EXPONENTIAL),
            Self::Power | Self::Origin => (Self::Growth, 1 << POLYNOMIAL),
            Self::Offset => (Self::Jitter, !(1 << DECORRELATED)),
            Self::JitterBelow | Self::JitterAbove => (Self::Jitter, 1 << PROPORTIONAL),
            Self::JitterMax | Self::JitterIncrement => (Self::Jitter, 1 << ADDITIVE),
            Self::JitterSlot => (Self::Jitter, 1 << SLOTTED),
            Self::MaxTokens => (Self::Budget, 1 << QUOTA | 1 << THROTTLE | 1 << RATIO | 1 << RATE),
            Self::Cost | Self::CostThrottled | Self::CostTimeout => (Self::Budget, 1 << QUOTA),
            Self::Ratio => (Self::Budget, 1 << THROTTLE | 1 << RATIO | 1 << TTL | 1 << CONCURRENT),
            Self::Per => (Self::Budget, 1 << RATE),
            Self::Ttl | Self::MinPerSecond => (Self::Budget, 1 << TTL),
            Self::MinConcurrent => (Self::Budget, 1 << CONCURRENT),
            _ => (Self::Growth, ALWAYS),
        }
    }

    /// The value if the field was not given beside these values, or `None` if it is required.
    pub(crate) fn default_value(self, values: &FieldValues) -> Option<u64> {
        let budget = values.kind(Self::Budget);
        Some(match self {
            Self::Growth
            | Self::Base
            | Self::Waits
            | Self::JitterMax
            | Self::JitterSlot
            | Self::Budget => return None,
            Self::Increment | Self::ThrottledBase => values.get(Self::Base),
            Self::Multiplier if values.kind(Self::Jitter) == DECORRELATED => THREE,
            Self::Multiplier => TWO,
            Self::Power => 2,
            Self::Origin => 1,
            Self::Cap
            | Self::MaxElapsed
            | Self::RetryAfterMaxExtra
            | Self::AttemptTimeout
            | Self::ResetAfter => MAX_NS,
            // A server must not be able to stop a client for ever.
            Self::RetryAfterMax => HOUR,
            Self::CapOn => ON_WINDOW.into(),
            Self::Jitter => NONE.into(),
            Self::RetryAfter => AT_LEAST.into(),
            Self::ElapsedFrom => FROM_BEGIN.into(),
            Self::JitterBelow | Self::JitterAbove => ZERO,
            Self::MaxRetries => EVERY_INDEX,
            Self::MaxTokens => match budget {
                QUOTA => 500,
                RATE => 60,
                _ => 10,
            },
            Self::Cost => COST,
            Self::CostThrottled | Self::CostTimeout => values.get(Self::Cost),
            Self::Ratio if matches!(budget, THROTTLE | RATIO) => TENTH,
            Self::Ratio => FIFTH,
            Self::Per => MINUTE,
            Self::Ttl => 10 * NS_PER_SECOND,
            Self::MinPerSecond => 10,
            Self::MinConcurrent => 3,
            _ => 0,
        })
    }

    /// The number that means no limit, if the field is a limit that can be absent.
    pub(crate) const fn no_limit(self) -> Option<u64> {
        match self {
            Self::Cap
            | Self::MaxElapsed
            | Self::RetryAfterMax
            | Self::RetryAfterMaxExtra
            | Self::AttemptTimeout
            | Self::ResetAfter => Some(MAX_NS),
            Self::MaxRetries => Some(EVERY_INDEX),
            Self::MaxAttempts => Some(EVERY_INDEX.wrapping_add(1)),
            _ => None,
        }
    }

    /// The least and the greatest number beside these values, unless the field is a kind or a
    /// ratio.
    pub(crate) fn range(self, values: &FieldValues) -> (u64, u64) {
        match self {
            Self::Power => (1, 16),
            Self::Origin | Self::MinConcurrent => (0, u32::MAX.into()),
            Self::JitterSlot | Self::AttemptTimeout | Self::ResetAfter => (1, MAX_NS),
            Self::MaxRetries => (0, EVERY_INDEX),
            Self::MaxAttempts => (1, EVERY_INDEX.saturating_add(1)),
            Self::MaxTokens => match values.kind(Self::Budget) {
                THROTTLE => (1, 1000),
                RATE => (1, 100_000),
                _ => (1, 1_000_000),
            },
            Self::Cost | Self::CostThrottled | Self::CostTimeout => {
                (1, values.get(Self::MaxTokens))
            }
            Self::Per => (1, DAY),
            Self::Ttl => (NS_PER_SECOND, MINUTE),
            Self::MinPerSecond => (0, 1_000_000),
            _ => (0, MAX_NS),
        }
    }
}
