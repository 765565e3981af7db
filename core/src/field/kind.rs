//! The kinds that a policy or a budget is composed of, with their names and numbers.
//!
//! The number of a kind is part of the C ABI and never changes; 0 is never a kind.

use core::time::Duration;

use crate::number::ratio::Ratio;

/// The growth of the window from one retry to the next (SPEC 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
#[non_exhaustive]
pub enum Growth {
    /// Always `base`.
    Constant = 1,
    /// `base + index * increment`.
    Linear = 2,
    /// `base * multiplier^index`, floored at each step.
    Exponential = 3,
    /// `base * (index + origin)^power`.
    Polynomial = 4,
    /// `base` times 1, 1, 2, 3, 5, 8, ...
    Fibonacci = 5,
    /// The `waits` one after another, and then the last one.
    Steps = 6,
}

/// How a delay is drawn from its window (SPEC 6).
///
/// `index` counts from 0, and `w` is the window of that index. Ranges include both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Jitter {
    /// Exactly `w`.
    None,
    /// From 0 to `w`.
    Full,
    /// From half of `w`, rounded up, to `w`.
    Equal,
    /// From `w * (1 - below)` to `w * (1 + above)`.
    Proportional {
        /// The fraction by which the delay may fall short of the window, 0 to 1.
        below: Ratio,
        /// The fraction by which the delay may exceed the window, 0 to 1.
        above: Ratio,
    },
    /// From `w` to `w + max + index * increment`.
    Additive {
        /// The width of the range at index 0.
        max: Duration,
        /// The amount that each retry adds to the width; often zero.
        increment: Duration,
    },
    /// From `base` to `multiplier` times the previous delay. It requires
    /// [`Growth::Exponential`], whose multiplier then defaults to 3.
    Decorrelated,
    /// A whole number of slots, fewer than fit into `w` (Ethernet).
    Slotted {
        /// The length of a slot, at least 1 ns.
        slot: Duration,
    },
}

/// What the cap limits (SPEC 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u32)]
#[non_exhaustive]
pub enum CapOn {
    /// On the window, before jitter. Delays stay random at the cap, and jitter that reaches
    /// above the window reaches above the cap.
    #[default]
    Window = 1,
    /// On the delay, after jitter: a hard maximum, on which delays pile up.
    Delay = 2,
}

/// The effect of a server's `Retry-After` on the delay (SPEC 13.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u32)]
#[non_exhaustive]
pub enum RetryAfterMode {
    /// Wait for the longer of the delay and the `Retry-After`.
    #[default]
    AtLeast = 1,
    /// Wait for exactly the `Retry-After`.
    Exact = 2,
    /// Wait from once to one and a half times the `Retry-After`, so that clients that received
    /// the same value do not return at the same moment.
    Spread = 3,
}

/// When the time that `max_elapsed` limits begins (SPEC 13.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u32)]
#[non_exhaustive]
pub enum ElapsedFrom {
    /// When the operation begins.
    #[default]
    Begin = 1,
    /// When its first attempt fails.
    Failure = 2,
}

impl Jitter {
    /// The number of this kind.
    pub(crate) const fn number(&self) -> u32 {
        match self {
            Self::None => NONE,
            Self::Full => FULL,
            Self::Equal => EQUAL,
            Self::Proportional { .. } => PROPORTIONAL,
            Self::Additive { .. } => ADDITIVE,
            Self::Decorrelated => DECORRELATED,
            Self::Slotted { .. } => SLOTTED,
        }
    }
}

pub(crate) const LINEAR: u32 = Growth::Linear as u32;
pub(crate) const EXPONENTIAL: u32 = Growth::Exponential as u32;
pub(crate) const POLYNOMIAL: u32 = Growth::Polynomial as u32;
pub(crate) const FIBONACCI: u32 = Growth::Fibonacci as u32;
pub(crate) const STEPS: u32 = Growth::Steps as u32;

pub(crate) const NONE: u32 = 1;
pub(crate) const FULL: u32 = 2;
pub(crate) const EQUAL: u32 = 3;
pub(crate) const PROPORTIONAL: u32 = 4;
pub(crate) const ADDITIVE: u32 = 5;
pub(crate) const DECORRELATED: u32 = 6;
pub(crate) const SLOTTED: u32 = 7;

pub(crate) const ON_WINDOW: u32 = CapOn::Window as u32;
pub(crate) const ON_DELAY: u32 = CapOn::Delay as u32;

pub(crate) const AT_LEAST: u32 = RetryAfterMode::AtLeast as u32;
pub(crate) const SPREAD: u32 = RetryAfterMode::Spread as u32;

pub(crate) const FROM_BEGIN: u32 = ElapsedFrom::Begin as u32;
pub(crate) const FROM_FAILURE: u32 = ElapsedFrom::Failure as u32;

pub(crate) const QUOTA: u32 = 1;
pub(crate) const THROTTLE: u32 = 2;
pub(crate) const RATIO: u32 = 3;
pub(crate) const RATE: u32 = 4;
pub(crate) const TTL: u32 = 5;
pub(crate) const CONCURRENT: u32 = 6;

// The names of the kinds in the order of their numbers, from 1.
pub(crate) const GROWTHS: &[&str] =
    &["constant", "linear", "exponential", "polynomial", "fibonacci", "steps"];
pub(crate) const JITTERS: &[&str] =
    &["none", "full", "equal", "proportional", "additive", "decorrelated", "slotted"];
pub(crate) const CAPS: &[&str] = &["window", "delay"];
pub(crate) const RETRY_AFTER_MODES: &[&str] = &["at_least", "exact", "spread"];
pub(crate) const ELAPSED_FROM: &[&str] = &["begin", "failure"];
pub(crate) const BUDGETS: &[&str] = &["quota", "throttle", "ratio", "rate", "ttl", "concurrent"];

/// The number of a name in such a list, or 0.
pub(crate) fn number_of(names: &[&str], name: &[u8]) -> u64 {
    (1..).zip(names).find(|(_, known)| known.as_bytes() == name).map_or(0, |(number, _)| number)
}

/// The name of a number in such a list.
pub(crate) fn name_of<'a>(names: &[&'a str], number: u64) -> Option<&'a str> {
    let position = usize::try_from(number.checked_sub(1)?).ok()?;
    names.get(position).copied()
}
