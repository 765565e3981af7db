//! The rules that a policy, a budget or their text can break (SPEC 8, 11).

use core::fmt;

/// Declares the codes, one row each: number, name and message template. A template names its
/// parts in braces (`error/message.rs`).
macro_rules! codes {
    ($($(#[$doc:meta])* $code:ident = $number:literal, $name:literal, $template:literal;)*) => {
        /// The rule that a policy, a budget or its text broke. Its number is part of the C ABI and
        /// never changes.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u32)]
        #[non_exhaustive]
        pub enum ErrorCode {
            $($(#[$doc])* $code = $number,)*
        }

        impl ErrorCode {
            /// Every code, in the order of the numbers.
            pub const ALL: &[Self] = &[$(Self::$code),*];

            /// The name of the code, the same in every language.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$code => $name,)*
                }
            }

            pub(crate) const fn template(self) -> &'static str {
                match self {
                    $(Self::$code => $template,)*
                }
            }
        }
    };
}

codes! {
    /// A growth, jitter or other kind that is not on the list.
    UnknownKind = 1, "unknown_kind", "{field} {value} is unknown; the kinds are {kinds}";
    /// A required field was not set.
    Missing = 2, "missing", "{field} is missing";
    /// A field was set that the growth, the jitter or the kind of budget does not use.
    Unused = 3, "unused", "{field} {value} is not used by {selector}";
    /// The value is above the limit.
    TooLarge = 4, "too_large", "{field} {value} is above {limit}";
    /// The value is below the limit.
    TooSmall = 5, "too_small", "{field} {value} is below {limit}";
    /// A ratio has a zero denominator.
    ZeroDenominator = 6, "zero_denominator", "{field} {value} has a zero denominator";
    /// A ratio has a term above 1,000,000.
    RatioTooFine = 7, "ratio_too_fine", "{field} {value} has a term above 1000000";
    /// Decorrelated jitter requires exponential growth.
    NotExponential = 8, "not_exponential",
        "{field} {value} cannot be combined with jitter decorrelated, which needs growth exponential";
    /// The cap is below the base.
    CapBelowBase = 9, "cap_below_base", "{field} {value} is below base {limit}";
    /// The offset is above the cap.
    OffsetAboveCap = 10, "offset_above_cap", "{field} {value} is above cap {limit}";
    /// The floor is above the cap.
    FloorAboveCap = 11, "floor_above_cap", "{field} {value} is above cap {limit}";
    /// The base is so short that the multiplier, floored to a nanosecond, leaves it unchanged.
    GrowthStalls = 12, "growth_stalls",
        "{field} {value} is too short to grow by the multiplier; it must be at least {limit}";
    /// `max_retries` and `max_attempts` were both set.
    GivenTwice = 13, "given_twice", "{field} {value} is set as well as max_retries {limit}; set one of them";
    /// A text starts with neither a growth, a shorthand, a kind of budget nor a preset.
    UnknownHead = 14, "unknown_head", "unknown name {name}";
    /// A key is not the name of a field.
    UnknownKey = 15, "unknown_key", "unknown key {name}";
    /// An earlier pair already set the field of this key.
    RepeatedKey = 16, "repeated_key", "key {found} is repeated";
    /// A key has no value.
    MissingValue = 17, "missing_value", "{field} has no value";
    /// A duration does not start with a number.
    NotADuration = 18, "not_a_duration", "{field} {found} is not a duration such as 100ms or 1.5s";
    /// A duration has no unit.
    MissingUnit = 19, "missing_unit", "{field} has no unit; the units are {units}";
    /// The unit of a duration is not one of d, h, m, s, ms, us and ns.
    UnknownUnit = 20, "unknown_unit", "{field} has the unknown unit {found}; the units are {units}";
    /// A duration is not a whole number of nanoseconds.
    DurationTooFine = 21, "duration_too_fine",
        "{field} {found} is not a whole number of nanoseconds";
    /// A value is not a ratio.
    NotARatio = 22, "not_a_ratio", "{field} {found} is not a ratio such as 2, 1.6, 8/5 or 20%";
    /// A value is not a whole number.
    NotACount = 23, "not_a_count", "{field} {found} is not a whole number";
    /// A text is longer than 1024 bytes.
    TextTooLong = 24, "text_too_long", "the text is longer than 1024 bytes";
    /// The attempts do not fit into the time, however short the base or the cap.
    DoesNotFit = 25, "does_not_fit",
        "{field} cannot be made short enough: the delays take at least {value}, which is above {limit}";
    /// A list is longer than the limit.
    TooMany = 26, "too_many", "{field} has more than {limit} entries";
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
