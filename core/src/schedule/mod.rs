//! The formulas of delays, over the validated numbers of a policy.

pub(crate) mod delay;
pub(crate) mod doubling;
pub(crate) mod growth;
pub(crate) mod jitter;
pub(crate) mod state;

use core::ops::Deref;

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
        /// All of a validated policy but the waits of growth in steps, which take almost half of its memory.
        /// A loop that keeps the waits elsewhere is smaller.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub struct PolicyNumbers {
            $(pub(crate) $name: $word,)*
            /// 1 if the policy is one of doubling, otherwise 0.
            pub(crate) doubling: u64,
        }

        // In C equal policies have equal bytes, so there are none between the fields.
        const _: () = assert!(
            size_of::<PolicyNumbers>() == size_of::<u64>() $(+ size_of::<$word>())*
        );

        impl PolicyNumbers {
            fn from_values(values: &FieldValues) -> Self {
                let mut numbers = Self {
                    $($name: Word::from_number(values.get(Field::$field)),)*
                    doubling: 0,
                };
                numbers.doubling = numbers.is_of_doubling_kinds().into();
                numbers
            }

            fn write(&self, values: &mut FieldValues) {
                $(values.set(Field::$field, self.$name.to_number());)*
            }
        }
    };
}
for_fields!(parameters);

/// A validated policy, as the formulas read it.
// Every field is a plain integer, and every reader is total over all of their values: the C ABI keeps a
// policy in its caller's memory, which may hold anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ScheduleParams {
    pub(crate) numbers: PolicyNumbers,
    /// None of another growth than steps.
    pub(crate) waits: Waits,
}

const _: () =
    assert!(size_of::<ScheduleParams>() == size_of::<PolicyNumbers>() + size_of::<Waits>());

impl ScheduleParams {
    /// The parameters of checked values.
    pub(crate) fn from_values(values: &FieldValues) -> Self {
        Self { numbers: PolicyNumbers::from_values(values), waits: *values.waits() }
    }

    /// The values of the fields.
    pub(crate) fn values(&self) -> FieldValues {
        let mut values = FieldValues::default();
        self.numbers.write(&mut values);
        values.set_waits(self.waits);
        values
    }
}

impl Deref for ScheduleParams {
    type Target = PolicyNumbers;

    #[inline]
    fn deref(&self) -> &PolicyNumbers {
        &self.numbers
    }
}

/// What the formulas read of a policy, wherever its waits are.
pub trait Schedule: Deref<Target = PolicyNumbers> {
    /// The waits; none of another growth than steps.
    fn waits(&self) -> &Waits;
}

impl Schedule for ScheduleParams {
    #[inline]
    fn waits(&self) -> &Waits {
        &self.waits
    }
}

/// The waits of another growth than steps.
pub static NO_WAITS: Waits = Waits::EMPTY;

/// A field as the formulas read it.
trait Word: Sized {
    fn from_number(number: u64) -> Self;
    fn to_number(self) -> u64;
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

/// No formula reads the field, or its value is no number.
impl Word for () {
    fn from_number(_: u64) -> Self {}

    fn to_number(self) -> u64 {
        0
    }
}

impl PolicyNumbers {
    /// The index of the delay before a retry, unless that retry is one too many.
    #[inline]
    #[must_use]
    pub fn retry_index(&self, retries: u64) -> Option<u32> {
        u32::try_from(retries).ok().filter(|_| retries < self.max_retries)
    }

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
