//! The fields of policies and budgets: one name each, the same in every language.

pub(crate) mod kind;
pub(crate) mod rules;
pub(crate) mod set;
pub(crate) mod table;
pub(crate) mod value;
pub(crate) mod values;
pub(crate) mod waits;

use core::fmt;

use crate::field::kind::{BUDGETS, CAPS, ELAPSED_FROM, GROWTHS, JITTERS, RETRY_AFTER_MODES};
use crate::field::table::for_fields;

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
    /// A list of waits, as its length; the waits are beside it.
    Waits,
}

macro_rules! fields {
    (
        policy { $(
            $(#[doc = $doc:literal])*
            $policy:ident = $number:literal, $name:ident: $word:ty, $unit:expr $(, set $argument:ty)?;
        )* }
        budget { $(
            $(#[doc = $bdoc:literal])*
            $budget:ident = $bnumber:literal, $bname:ident, $bunit:expr;
        )* }
    ) => {
        /// A field of a policy or of a budget. Its number is part of the C ABI and never changes.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u32)]
        #[non_exhaustive]
        pub enum Field {
            $($(#[doc = $doc])* $policy = $number,)*
            $($(#[doc = $bdoc])* $budget = $bnumber,)*
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
                    $(Self::$policy => stringify!($name),)*
                    $(Self::$budget => stringify!($bname),)*
                }
            }

            /// What the field is, its range and its default, for the documentation of each language.
            pub(crate) const fn description(self) -> &'static str {
                match self {
                    $(Self::$policy => concat!($($doc),*),)*
                    $(Self::$budget => concat!($($bdoc),*),)*
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
for_fields!(fields);

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
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
