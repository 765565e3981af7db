//! The table of fields (SPEC 5.1, 15.1), and the rules of single fields. A new field is a row here,
//! and an arm of a function below where the last arm is not right for it.

use crate::field::Field;
use crate::field::kind::{
    ADDITIVE, AT_LEAST, CONCURRENT, DECORRELATED, EXPONENTIAL, LINEAR, NONE, ON_WINDOW, POLYNOMIAL,
    PROPORTIONAL, QUOTA, RATE, RATIO, SLOTTED, THROTTLE, TTL,
};
use crate::field::values::FieldValues;
use crate::number::arithmetic::{MAX_NS, NS_PER_SECOND};
use crate::number::ratio::Ratio;

/// Passes the rows to a macro. A row has the description of a field, its number and its name. A
/// field of a policy also has the type in which formulas read it, a unit, and, if the builder has a
/// method of its name, the type of its argument.
macro_rules! for_fields {
    ($callback:ident) => {
        $callback! {
            policy {
                /// How the window grows from one retry to the next. Required.
                Growth = 1, growth: u32, Unit::Kind(GROWTHS);
                /// The window of index 0 for most growths. Required.
                Base = 2, base: u64, Unit::Duration;
                /// Linear growth: the amount that each retry adds. Default: the base.
                Increment = 3, increment: u64, Unit::Duration, set Duration;
                /// Exponential growth: the factor of each retry, 1 or from 1.01 to 1,000,000.
                /// Default: 2, or 3 with decorrelated jitter.
                Multiplier = 4, multiplier: Ratio, Unit::Ratio, set Ratio;
                /// Polynomial growth: the exponent, 1 to 16. Default: 2.
                Power = 5, power: u32, Unit::Count, set u32;
                /// Polynomial growth: the number that stands for index 0, 0 to 2^32 - 1. Default:
                /// 1. With 0 the first window is the offset alone.
                Origin = 6, origin: u64, Unit::Count, set u32;
                /// A duration that is added to every window before the cap. Default: 0. It cannot
                /// be combined with decorrelated jitter.
                Offset = 7, offset: u64, Unit::Duration, set Duration;
                /// The cap, at least the base. Default: no limit, so that only 2^63 - 1 ns bounds a
                /// delay.
                Cap = 8, cap: u64, Unit::Duration, set Duration;
                /// What the cap limits: the window, which is the default, or the delay.
                CapOn = 9, cap_on: u32, Unit::Kind(CAPS), set CapOn;
                /// The shortest computed delay, at most the cap: the range that is sampled starts
                /// there. Default: 0. A Retry-After that replaces the delay may be shorter.
                Floor = 10, floor: u64, Unit::Duration, set Duration;
                /// How a delay is drawn from its window. Default: none, which makes the window the
                /// delay.
                Jitter = 11, jitter: u32, Unit::Kind(JITTERS);
                /// Proportional jitter: the fraction of the window by which a delay may fall short
                /// of it, 0 to 1. Required unless `jitter_above` is set; then the default is 0.
                JitterBelow = 12, jitter_below: Ratio, Unit::Ratio;
                /// Proportional jitter: the fraction of the window by which a delay may exceed it,
                /// 0 to 1. Default: 0.
                JitterAbove = 13, jitter_above: Ratio, Unit::Ratio;
                /// Additive jitter: the width of the range at index 0. Required with this jitter.
                JitterMax = 14, jitter_max: u64, Unit::Duration;
                /// Additive jitter: the amount that each retry adds to the width. Default: 0.
                JitterIncrement = 15, jitter_increment: u64, Unit::Duration;
                /// Slotted jitter: the length of a slot, at least 1 ns. Required with this jitter.
                JitterSlot = 16, jitter_slot: u64, Unit::Duration;
                /// The maximum number of retries, 0 to 2^32, which is the default and means no
                /// limit.
                MaxRetries = 17, max_retries: u64, Unit::Count, set u64;
                /// The maximum number of attempts, 1 to 2^32 + 1: one more than `max_retries`,
                /// which must not be set as well.
                MaxAttempts = 18, max_attempts: (), Unit::Count, set u64;
                /// The time since the start of an operation after which no wait may end. Default:
                /// no limit.
                MaxElapsed = 19, max_elapsed: u64, Unit::Duration, set Duration;
                /// The base after a throttled failure, at most the cap. Default: the base.
                ThrottledBase = 20, throttled_base: u64, Unit::Duration, set Duration;
                /// The effect of a server's Retry-After on the delay. Default: the longer of the
                /// two counts.
                RetryAfter = 21, retry_after: u32, Unit::Kind(RETRY_AFTER_MODES), set RetryAfterMode;
                /// The longest Retry-After that is honoured; a longer one counts as this. Default:
                /// 1 hour. The cap does not limit it, and the mode `spread` may exceed it by half.
                RetryAfterMax = 22, retry_after_max: u64, Unit::Duration;
                /// How much longer than the delay a Retry-After may make the wait. Default: no
                /// limit.
                RetryAfterMaxExtra = 23, retry_after_max_extra: u64, Unit::Duration, set Duration;
            }
            budget {
                /// The kind of the budget. Required.
                Budget = 33, budget, Unit::Kind(BUDGETS);
                /// Quota, throttle, ratio and rate: the tokens of a full budget.
                MaxTokens = 34, max_tokens, Unit::Count;
                /// Quota: the tokens that a retry costs. Default: 5.
                Cost = 35, cost, Unit::Count;
                /// Quota: the tokens that a retry after throttling costs. Default: the cost.
                CostThrottled = 36, cost_throttled, Unit::Count;
                /// Quota: the tokens that a retry after a timeout costs. Default: the cost.
                CostTimeout = 37, cost_timeout, Unit::Count;
                /// Throttle, ratio, ttl and concurrent: the fraction of a retry that each operation earns, 0
                /// to 1.
                Ratio = 38, ratio, Unit::Ratio;
                /// Rate: the time in which an empty budget fills up. Default: 1 minute.
                Per = 39, per, Unit::Duration;
                /// Ttl: the time for which earned retries last. Default: 10 seconds.
                Ttl = 40, ttl, Unit::Duration;
                /// Ttl: the retries per second that are always granted. Default: 10.
                MinPerSecond = 41, min_per_second, Unit::Count;
                /// Concurrent: the retries at the same time that are always granted. Default: 3.
                MinConcurrent = 42, min_concurrent, Unit::Count;
            }
        }
    };
}
pub(crate) use for_fields;

/// As many retries as there are indices.
pub(crate) const EVERY_INDEX: u64 = 1 << 32;

const MINUTE: u64 = 60 * NS_PER_SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

pub(crate) const ZERO: u64 = Ratio::new(0, 1).to_value();
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
            Self::Growth | Self::Base | Self::JitterMax | Self::JitterSlot | Self::Budget => {
                return None;
            }
            Self::Increment | Self::ThrottledBase => values.get(Self::Base),
            Self::Multiplier if values.kind(Self::Jitter) == DECORRELATED => THREE,
            Self::Multiplier => TWO,
            Self::Power => 2,
            Self::Origin => 1,
            Self::Cap | Self::MaxElapsed | Self::RetryAfterMaxExtra => MAX_NS,
            // A server must not be able to stop a client for ever.
            Self::RetryAfterMax => HOUR,
            Self::CapOn => ON_WINDOW.into(),
            Self::Jitter => NONE.into(),
            Self::RetryAfter => AT_LEAST.into(),
            Self::JitterBelow | Self::JitterAbove => ZERO,
            Self::MaxRetries => EVERY_INDEX,
            Self::MaxTokens => match budget {
                QUOTA => 500,
                RATE => 60,
                _ => 10,
            },
            Self::Cost => 5,
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
            Self::Cap | Self::MaxElapsed | Self::RetryAfterMax | Self::RetryAfterMaxExtra => {
                Some(MAX_NS)
            }
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
            Self::JitterSlot => (1, MAX_NS),
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
