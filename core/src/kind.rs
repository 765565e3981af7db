//! The words a policy is composed of, with the numbers other languages use for them.

use core::time::Duration;

use crate::Ratio;

/// How the window grows from one retry to the next (SPEC 5).
///
/// The number of a kind is part of the C ABI and never changes; 0 is never a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
#[non_exhaustive]
pub enum Growth {
    /// `base`, always.
    Constant = 1,
    /// `base + index * increment`.
    Linear = 2,
    /// `base * multiplier^index`, floored at each step.
    Exponential = 3,
    /// `base * (index + origin)^power`.
    Polynomial = 4,
    /// `base` times 1, 1, 2, 3, 5, 8, ...
    Fibonacci = 5,
}

/// How a delay is spread around its window (SPEC 6).
///
/// `index` counts from 0, `w` is the window of that index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Jitter {
    /// `w` itself.
    None,
    /// Anything from 0 to `w`.
    Full,
    /// Anything from half of `w`, rounded up, to `w`.
    Equal,
    /// Anything from `w * (1 - below)` to `w * (1 + above)`.
    Proportional {
        /// The part of the window that the delay may fall short of it, 0 to 1.
        below: Ratio,
        /// The part of the window that the delay may exceed it, 0 to 1.
        above: Ratio,
    },
    /// Anything from `w` to `w + max + index * increment`.
    Additive {
        /// The width of the range at index 0.
        max: Duration,
        /// What each retry adds to the width; often zero.
        increment: Duration,
    },
    /// Anything from `base` to `multiplier` times the previous delay; only with
    /// [`Growth::Exponential`], whose multiplier is then 3 unless given.
    Decorrelated,
    /// A whole number of slots, fewer than fit into `w` (Ethernet).
    Slotted {
        /// The length of a slot, at least 1 ns.
        slot: Duration,
    },
}

/// Where the cap applies (SPEC 7).
///
/// The number of a kind is part of the C ABI and never changes; 0 is never a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u32)]
#[non_exhaustive]
pub enum CapOn {
    /// On the window, before jitter: delays stay random at the cap, and jitter that
    /// reaches above the window reaches above the cap.
    #[default]
    Window = 1,
    /// On the delay, after jitter: a hard maximum, on which delays gather.
    Result = 2,
}

/// What a hint of the server, such as `Retry-After`, does to a delay (SPEC 13.5).
///
/// The number of a kind is part of the C ABI and never changes; 0 is never a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u32)]
#[non_exhaustive]
pub enum Hint {
    /// The longer of delay and hint.
    #[default]
    AtLeast = 1,
    /// The hint.
    Exact = 2,
    /// Anything from the hint to one and a half times the hint, against a herd that got the
    /// same one.
    Spread = 3,
}

pub(crate) const LINEAR: u32 = Growth::Linear as u32;
pub(crate) const EXPONENTIAL: u32 = Growth::Exponential as u32;
pub(crate) const POLYNOMIAL: u32 = Growth::Polynomial as u32;
pub(crate) const FIBONACCI: u32 = Growth::Fibonacci as u32;

pub(crate) const NONE: u32 = 1;
pub(crate) const FULL: u32 = 2;
pub(crate) const EQUAL: u32 = 3;
pub(crate) const PROPORTIONAL: u32 = 4;
pub(crate) const ADDITIVE: u32 = 5;
pub(crate) const DECORRELATED: u32 = 6;
pub(crate) const SLOTTED: u32 = 7;

pub(crate) const ON_WINDOW: u32 = CapOn::Window as u32;
pub(crate) const ON_RESULT: u32 = CapOn::Result as u32;

pub(crate) const AT_LEAST: u32 = Hint::AtLeast as u32;
pub(crate) const EXACT: u32 = Hint::Exact as u32;
pub(crate) const SPREAD: u32 = Hint::Spread as u32;

pub(crate) const QUOTA: u32 = 1;
pub(crate) const THROTTLE: u32 = 2;
pub(crate) const RATIO: u32 = 3;
pub(crate) const RATE: u32 = 4;
pub(crate) const TTL: u32 = 5;
pub(crate) const CONCURRENT: u32 = 6;

/// The names of the kinds in the order of their numbers, from 1.
pub(crate) const GROWTHS: &[&str] =
    &["constant", "linear", "exponential", "polynomial", "fibonacci"];
pub(crate) const JITTERS: &[&str] =
    &["none", "full", "equal", "proportional", "additive", "decorrelated", "slotted"];
pub(crate) const CAPS: &[&str] = &["window", "result"];
pub(crate) const HINTS: &[&str] = &["at_least", "exact", "spread"];
pub(crate) const BUDGETS: &[&str] = &["quota", "throttle", "ratio", "rate", "ttl", "concurrent"];

impl Jitter {
    /// The number that other languages use for this kind.
    #[must_use]
    pub const fn kind(&self) -> u32 {
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
