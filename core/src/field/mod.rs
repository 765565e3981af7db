//! The fields of policies and budgets: one name each, the same in every language.

pub(crate) mod kind;
pub(crate) mod params;
pub(crate) mod value;
pub(crate) mod values;

use core::fmt;

use crate::field::kind::{
    ADDITIVE, BUDGETS, CAPS, CONCURRENT, DECORRELATED, EXPONENTIAL, GROWTHS, JITTERS, LINEAR,
    POLYNOMIAL, PROPORTIONAL, QUOTA, RATE, RATIO, RETRY_AFTER_MODES, SLOTTED, THROTTLE, TTL,
};

/// The meaning of a field's numeric value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// A kind: one of a closed list of names, numbered from 1.
    Kind(&'static [&'static str]),
    /// Nanoseconds.
    Duration,
    /// A ratio `n/d`, as `n * 2^32 + d`.
    Ratio,
    /// A whole number.
    Count,
}

/// Declares the fields, one row each: number, name and unit.
macro_rules! fields {
    (
        policy { $($(#[$doc:meta])* $policy:ident = $number:literal, $name:literal, $unit:expr;)* }
        budget { $($(#[$bdoc:meta])* $budget:ident = $bnumber:literal, $bname:literal, $bunit:expr;)* }
    ) => {
        /// A field of a policy or of a budget. Its number is part of the C ABI and never changes.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u32)]
        #[non_exhaustive]
        pub enum Field {
            $($(#[$doc])* $policy = $number,)*
            $($(#[$bdoc])* $budget = $bnumber,)*
        }

        /// Every field of a policy, in the order of the numbers.
        pub const POLICY_FIELDS: [Field; [$($number),*].len()] = [$(Field::$policy),*];

        /// Every field of a budget, in the order of the numbers.
        pub const BUDGET_FIELDS: [Field; [$($bnumber),*].len()] = [$(Field::$budget),*];

        impl Field {
            /// The name of the field, the same in every language.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$policy => $name,)*
                    $(Self::$budget => $bname,)*
                }
            }

            /// The meaning of the field's numeric value.
            pub(crate) const fn unit(self) -> Unit {
                match self {
                    $(Self::$policy => $unit,)*
                    $(Self::$budget => $bunit,)*
                }
            }
        }
    };
}

fields! {
    policy {
        /// The growth of the window.
        Growth = 1, "growth", Unit::Kind(GROWTHS);
        /// The window of index 0 for most growths.
        Base = 2, "base", Unit::Duration;
        /// Linear growth: the amount that each retry adds.
        Increment = 3, "increment", Unit::Duration;
        /// Exponential growth: the factor of each retry.
        Multiplier = 4, "multiplier", Unit::Ratio;
        /// Polynomial growth: the exponent.
        Power = 5, "power", Unit::Count;
        /// Polynomial growth: the number that stands for index 0.
        Origin = 6, "origin", Unit::Count;
        /// A duration added to every window.
        Offset = 7, "offset", Unit::Duration;
        /// The cap.
        Cap = 8, "cap", Unit::Duration;
        /// What the cap limits: the window or the delay.
        CapOn = 9, "cap_on", Unit::Kind(CAPS);
        /// The shortest computed delay.
        Floor = 10, "floor", Unit::Duration;
        /// How the delay is drawn from its window.
        Jitter = 11, "jitter", Unit::Kind(JITTERS);
        /// Proportional jitter: the fraction by which the delay may fall short of the window.
        JitterBelow = 12, "jitter_below", Unit::Ratio;
        /// Proportional jitter: the fraction by which the delay may exceed the window.
        JitterAbove = 13, "jitter_above", Unit::Ratio;
        /// Additive jitter: the width of the range at index 0.
        JitterMax = 14, "jitter_max", Unit::Duration;
        /// Additive jitter: the amount that each retry adds to the width.
        JitterIncrement = 15, "jitter_increment", Unit::Duration;
        /// Slotted jitter: the length of a slot.
        JitterSlot = 16, "jitter_slot", Unit::Duration;
        /// The maximum number of retries.
        MaxRetries = 17, "max_retries", Unit::Count;
        /// The maximum number of attempts: one more than the retries.
        MaxAttempts = 18, "max_attempts", Unit::Count;
        /// The time since the start of an operation after which no wait may end.
        MaxElapsed = 19, "max_elapsed", Unit::Duration;
        /// The base after a throttled failure.
        ThrottledBase = 20, "throttled_base", Unit::Duration;
        /// The effect of a server's `Retry-After` on the delay.
        RetryAfter = 21, "retry_after", Unit::Kind(RETRY_AFTER_MODES);
        /// The longest `Retry-After` that is honoured.
        RetryAfterMax = 22, "retry_after_max", Unit::Duration;
        /// How much longer than the delay a `Retry-After` may make the wait.
        RetryAfterMaxExtra = 23, "retry_after_max_extra", Unit::Duration;
    }
    budget {
        /// The kind of the budget.
        Budget = 33, "budget", Unit::Kind(BUDGETS);
        /// Budgets: the tokens of a full budget.
        MaxTokens = 34, "max_tokens", Unit::Count;
        /// Budgets: the cost of a retry in tokens.
        Cost = 35, "cost", Unit::Count;
        /// Budgets: the cost of a retry after throttling.
        CostThrottled = 36, "cost_throttled", Unit::Count;
        /// Budgets: the cost of a retry after a timeout.
        CostTimeout = 37, "cost_timeout", Unit::Count;
        /// Budgets: the fraction of a retry that each operation earns.
        Ratio = 38, "ratio", Unit::Ratio;
        /// Budgets: the time in which an empty budget fills.
        Per = 39, "per", Unit::Duration;
        /// Budgets: the time for which earned tokens last.
        Ttl = 40, "ttl", Unit::Duration;
        /// Budgets: the retries per second that are always granted.
        MinPerSecond = 41, "min_per_second", Unit::Count;
        /// Budgets: the concurrent retries that are always granted.
        MinConcurrent = 42, "min_concurrent", Unit::Count;
    }
}

impl Field {
    /// Every field of a policy, in the order of their numbers.
    pub const POLICY: &[Self] = &POLICY_FIELDS;

    /// Every field of a budget, in the order of their numbers.
    pub const BUDGET: &[Self] = &BUDGET_FIELDS;

    /// The names of the kinds of the field, in the order of their numbers, which begin with 1; no
    /// names if its values are not kinds.
    ///
    /// ```
    /// use backoff_core::Field;
    /// assert_eq!(Field::CapOn.kinds(), ["window", "delay"]);
    /// assert!(Field::Cap.kinds().is_empty());
    /// ```
    #[must_use]
    pub const fn kinds(self) -> &'static [&'static str] {
        match self.unit() {
            Unit::Kind(names) => names,
            _ => &[],
        }
    }

    /// The position among the fields of a policy or of a budget, from 0.
    pub(crate) const fn position(self) -> usize {
        let number = self as usize;
        let first = if number < Self::Budget as usize { Self::Growth } else { Self::Budget };
        number.wrapping_sub(first as usize)
    }

    /// The field whose kind decides whether this one is used, and a mask of the kinds that use
    /// it: bit `n` stands for kind number `n`.
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
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
