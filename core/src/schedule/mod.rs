//! The formulas of delays, over the validated numbers of a policy.

pub(crate) mod doubling;
pub(crate) mod growth;
pub(crate) mod jitter;
pub(crate) mod state;

use crate::field::Field;
use crate::field::kind::{EXPONENTIAL, FULL, ON_WINDOW};
use crate::field::table::for_fields;
use crate::field::values::FieldValues;
use crate::field::waits::Waits;
use crate::number::ratio::Ratio;

macro_rules! parameters {
    (
        policy { $(
            $(#[$doc:meta])*
            $field:ident = $number:literal, $name:ident: $word:ty, $unit:expr $(, set $argument:ty)?;
        )* }
        budget $budget:tt
    ) => {
        /// The numbers of a validated policy, as the formulas read them.
        // Every field is a plain integer, and every reader is total over all of their values: the C ABI
        // keeps a policy in its caller's memory, which may hold anything.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) struct ScheduleParams {
            $(pub(crate) $name: $word,)*
            /// 1 if the policy is one of doubling, otherwise 0.
            pub(crate) doubling: u64,
        }

        // In C equal policies have equal bytes, so there are none between the fields.
        const _: () = assert!(
            size_of::<ScheduleParams>() == size_of::<u64>() $(+ size_of::<$word>())*
        );

        impl ScheduleParams {
            /// The parameters of checked values.
            pub(crate) fn from_values(values: &FieldValues) -> Self {
                let mut parameters = Self {
                    $($name: Word::read(values, Field::$field),)*
                    doubling: 0,
                };
                parameters.doubling = parameters.is_of_doubling_kinds().into();
                parameters
            }

            /// The values of the fields.
            pub(crate) fn values(&self) -> FieldValues {
                let mut values = FieldValues::default();
                $(self.$name.write(&mut values, Field::$field);)*
                values
            }
        }
    };
}
for_fields!(parameters);

/// A field as the formulas read it.
trait Word: Sized {
    fn from_number(number: u64) -> Self;
    fn to_number(self) -> u64;

    fn read(values: &FieldValues, field: Field) -> Self {
        Self::from_number(values.get(field))
    }

    fn write(self, values: &mut FieldValues, field: Field) {
        values.set(field, self.to_number());
    }
}

impl Word for Waits {
    fn from_number(_: u64) -> Self {
        Self::default()
    }

    fn to_number(self) -> u64 {
        self.length()
    }

    fn read(values: &FieldValues, _: Field) -> Self {
        *values.waits()
    }

    fn write(self, values: &mut FieldValues, _: Field) {
        values.set_waits(self);
    }
}

impl Word for u64 {
    fn from_number(number: u64) -> Self {
        number
    }

    fn to_number(self) -> u64 {
        self
    }
}

/// Kinds and other small numbers.
impl Word for u32 {
    #[expect(clippy::cast_possible_truncation, reason = "the rules of the field bound it")]
    fn from_number(number: u64) -> Self {
        number as Self
    }

    fn to_number(self) -> u64 {
        self.into()
    }
}

impl Word for Ratio {
    fn from_number(number: u64) -> Self {
        Self::from_value(number)
    }

    fn to_number(self) -> u64 {
        self.to_value()
    }
}

/// No formula reads the field.
impl Word for () {
    fn from_number(_: u64) -> Self {}

    fn to_number(self) -> u64 {
        0
    }
}

impl ScheduleParams {
    /// Whether the formulas in `doubling` are those of these kinds and numbers.
    fn is_of_doubling_kinds(&self) -> bool {
        (self.growth, self.jitter, self.cap_on) == (EXPONENTIAL, FULL, ON_WINDOW)
            && self.multiplier == Ratio::DOUBLE
            && (self.offset, self.floor) == (0, 0)
    }

    /// Whether the formulas in `doubling` compute the delays.
    #[inline]
    pub(crate) fn is_doubling(&self) -> bool {
        self.doubling == 1
    }
}
