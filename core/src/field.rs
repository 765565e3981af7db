//! The fields of a policy: one name each, the same in every language.

use core::fmt;

use crate::kind::{CAPS, GROWTHS, JITTERS};

/// A field of a policy. Its number is part of the C ABI and never changes.
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
    /// Every field, in the order of the numbers.
    pub const ALL: [Self; 16] = [
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
        }
    }

    /// What the number of the field means.
    #[must_use]
    pub const fn unit(self) -> Unit {
        match self {
            Self::Growth => Unit::Kind(GROWTHS),
            Self::Jitter => Unit::Kind(JITTERS),
            Self::CapOn => Unit::Kind(CAPS),
            Self::Multiplier | Self::JitterBelow | Self::JitterAbove => Unit::Ratio,
            Self::Power | Self::Origin => Unit::Count,
            Self::Base
            | Self::Increment
            | Self::Offset
            | Self::Cap
            | Self::Floor
            | Self::JitterMax
            | Self::JitterIncrement
            | Self::JitterSlot => Unit::Duration,
        }
    }

    /// The field of a number, if there is one.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|&field| field as u32 == number)
    }

    /// The field of a name, if there is one.
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
