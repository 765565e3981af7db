//! The fields of a policy and of a budget: one name each, the same in every language.

use core::fmt;

use crate::kind::{BUDGETS, CAPS, GROWTHS, HINTS, JITTERS};

/// A field of a policy or of a budget. Its number is part of the C ABI and never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
#[non_exhaustive]
pub enum Field {
    /// How the window grows.
    Growth = 1,
    /// The window of index 0 for most growths.
    Base = 2,
    /// What linear growth adds at each retry.
    Increment = 3,
    /// What exponential growth multiplies by at each retry.
    Multiplier = 4,
    /// The exponent of polynomial growth.
    Power = 5,
    /// What polynomial growth counts index 0 as.
    Origin = 6,
    /// A duration added to every window.
    Offset = 7,
    /// The cap.
    Cap = 8,
    /// Where the cap applies.
    CapOn = 9,
    /// The shortest delay.
    Floor = 10,
    /// How the delay is spread around its window.
    Jitter = 11,
    /// Proportional jitter: the part that the delay may fall short of the window.
    JitterBelow = 12,
    /// Proportional jitter: the part that the delay may exceed the window.
    JitterAbove = 13,
    /// Additive jitter: the width of the range at index 0.
    JitterMax = 14,
    /// Additive jitter: what each retry adds to the width.
    JitterIncrement = 15,
    /// Slotted jitter: the length of a slot.
    JitterSlot = 16,
    /// The most retries.
    MaxRetries = 17,
    /// The most attempts: one more than the retries.
    MaxAttempts = 18,
    /// The time after which no wait may end.
    MaxElapsed = 19,
    /// The base after a failure that was throttling.
    ThrottledBase = 20,
    /// What a hint of the server does to a delay.
    Hint = 21,
    /// The longest hint that counts; `spread` waits up to half more.
    HintMax = 22,
    /// How much longer than the delay a hint may be.
    HintMaxExtra = 23,
    /// Budgets: the kind.
    Budget = 33,
    /// Budgets: the tokens of a full budget.
    MaxTokens = 34,
    /// Budgets: the tokens of a retry.
    Cost = 35,
    /// Budgets: the tokens of a retry after throttling.
    CostThrottled = 36,
    /// Budgets: the tokens of a retry after a timeout.
    CostTimeout = 37,
    /// Budgets: the part of a retry that each operation earns.
    Ratio = 38,
    /// Budgets: the time in which an empty budget fills.
    Per = 39,
    /// Budgets: how long what was earned lasts.
    Ttl = 40,
    /// Budgets: the retries a second that are granted in any case.
    MinPerSecond = 41,
    /// Budgets: the retries at a time that are granted in any case.
    MinConcurrent = 42,
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What the number of a field means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// One of a closed list of names, numbered from 1.
    Kind(&'static [&'static str]),
    /// Nanoseconds.
    Duration,
    /// A ratio, as [`Ratio::to_word`](crate::Ratio::to_word) packs it.
    Ratio,
    /// A plain number.
    Count,
}

impl Field {
    /// Every field of a policy, in the order of the numbers.
    pub const ALL: [Self; 23] = [
        Self::Growth,
        Self::Base,
        Self::Increment,
        Self::Multiplier,
        Self::Power,
        Self::Origin,
        Self::Offset,
        Self::Cap,
        Self::CapOn,
        Self::Floor,
        Self::Jitter,
        Self::JitterBelow,
        Self::JitterAbove,
        Self::JitterMax,
        Self::JitterIncrement,
        Self::JitterSlot,
        Self::MaxRetries,
        Self::MaxAttempts,
        Self::MaxElapsed,
        Self::ThrottledBase,
        Self::Hint,
        Self::HintMax,
        Self::HintMaxExtra,
    ];

    /// Every field of a budget, in the order of the numbers.
    pub const BUDGET: [Self; 10] = [
        Self::Budget,
        Self::MaxTokens,
        Self::Cost,
        Self::CostThrottled,
        Self::CostTimeout,
        Self::Ratio,
        Self::Per,
        Self::Ttl,
        Self::MinPerSecond,
        Self::MinConcurrent,
    ];

    /// The name of the field, as it is spelled in every language but for its case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Growth => "growth",
            Self::Base => "base",
            Self::Increment => "increment",
            Self::Multiplier => "multiplier",
            Self::Power => "power",
            Self::Origin => "origin",
            Self::Offset => "offset",
            Self::Cap => "cap",
            Self::CapOn => "cap_on",
            Self::Floor => "floor",
            Self::Jitter => "jitter",
            Self::JitterBelow => "jitter_below",
            Self::JitterAbove => "jitter_above",
            Self::JitterMax => "jitter_max",
            Self::JitterIncrement => "jitter_increment",
            Self::JitterSlot => "jitter_slot",
            Self::MaxRetries => "max_retries",
            Self::MaxAttempts => "max_attempts",
            Self::MaxElapsed => "max_elapsed",
            Self::ThrottledBase => "throttled_base",
            Self::Hint => "hint",
            Self::HintMax => "hint_max",
            Self::HintMaxExtra => "hint_max_extra",
            Self::Budget => "budget",
            Self::MaxTokens => "max_tokens",
            Self::Cost => "cost",
            Self::CostThrottled => "cost_throttled",
            Self::CostTimeout => "cost_timeout",
            Self::Ratio => "ratio",
            Self::Per => "per",
            Self::Ttl => "ttl",
            Self::MinPerSecond => "min_per_second",
            Self::MinConcurrent => "min_concurrent",
        }
    }

    /// Where it stands among the fields of its kind of line.
    pub(crate) const fn position(self) -> usize {
        let number = self as usize;
        let first = if number < Self::Budget as usize { Self::Growth } else { Self::Budget };
        number.wrapping_sub(first as usize)
    }

    /// What the number of the field means.
    #[must_use]
    pub const fn unit(self) -> Unit {
        match self {
            Self::Growth => Unit::Kind(GROWTHS),
            Self::Jitter => Unit::Kind(JITTERS),
            Self::CapOn => Unit::Kind(CAPS),
            Self::Hint => Unit::Kind(HINTS),
            Self::Budget => Unit::Kind(BUDGETS),
            Self::Multiplier | Self::JitterBelow | Self::JitterAbove | Self::Ratio => Unit::Ratio,
            Self::Power
            | Self::Origin
            | Self::MaxRetries
            | Self::MaxAttempts
            | Self::MaxTokens
            | Self::Cost
            | Self::CostThrottled
            | Self::CostTimeout
            | Self::MinPerSecond
            | Self::MinConcurrent => Unit::Count,
            Self::Base
            | Self::Increment
            | Self::Offset
            | Self::Cap
            | Self::Floor
            | Self::JitterMax
            | Self::JitterIncrement
            | Self::JitterSlot
            | Self::MaxElapsed
            | Self::ThrottledBase
            | Self::HintMax
            | Self::HintMaxExtra
            | Self::Per
            | Self::Ttl => Unit::Duration,
        }
    }

    /// The field of a number, if there is one.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().chain(Self::BUDGET).find(|&field| field as u32 == number)
    }

    /// The field of a policy of a name, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.name() == name)
    }

    /// The number of a kind of this field, or 0, which is never a kind.
    #[must_use]
    pub fn kind_number(self, name: &str) -> u64 {
        match self.unit() {
            Unit::Kind(names) => {
                (1..).zip(names).find(|(_, known)| **known == name).map_or(0, |(number, _)| number)
            }
            _ => 0,
        }
    }
}
