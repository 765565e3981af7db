//! The formulas of delays, over the validated numbers of a policy.

pub(crate) mod growth;
pub(crate) mod jitter;
pub(crate) mod plain;
pub(crate) mod state;

use crate::field::Field;
use crate::field::kind::{EXPONENTIAL, FULL, ON_WINDOW};
use crate::field::values::FieldValues;
use crate::number::ratio::Ratio;

/// The numbers of a validated policy, as the formulas read them.
// Every field is a plain integer, and every reader is total over all of their values: the C ABI
// keeps a policy in its caller's memory, which may hold anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C)]
pub(crate) struct Parameters {
    pub(crate) growth: u32,
    pub(crate) jitter: u32,
    pub(crate) cap_on: u32,
    pub(crate) power: u32,
    pub(crate) base: u64,
    pub(crate) increment: u64,
    pub(crate) multiplier: Ratio,
    pub(crate) origin: u64,
    pub(crate) offset: u64,
    pub(crate) cap: u64,
    pub(crate) floor: u64,
    pub(crate) jitter_below: Ratio,
    pub(crate) jitter_above: Ratio,
    pub(crate) jitter_max: u64,
    pub(crate) jitter_increment: u64,
    pub(crate) jitter_slot: u64,
    pub(crate) max_retries: u64,
    pub(crate) max_elapsed: u64,
    pub(crate) throttled_base: u64,
    pub(crate) retry_after_max: u64,
    pub(crate) retry_after_max_extra: u64,
    pub(crate) retry_after: u32,
    /// 1 if the policy is plain, otherwise 0.
    pub(crate) plain: u32,
}

impl Parameters {
    /// The parameters of checked values.
    pub(crate) fn from_values(values: &FieldValues) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "a power is at most 16")]
        let power = values.get(Field::Power) as u32;
        let mut parameters = Self {
            growth: values.kind(Field::Growth),
            jitter: values.kind(Field::Jitter),
            cap_on: values.kind(Field::CapOn),
            power,
            base: values.get(Field::Base),
            increment: values.get(Field::Increment),
            multiplier: values.ratio(Field::Multiplier),
            origin: values.get(Field::Origin),
            offset: values.get(Field::Offset),
            cap: values.get(Field::Cap),
            floor: values.get(Field::Floor),
            jitter_below: values.ratio(Field::JitterBelow),
            jitter_above: values.ratio(Field::JitterAbove),
            jitter_max: values.get(Field::JitterMax),
            jitter_increment: values.get(Field::JitterIncrement),
            jitter_slot: values.get(Field::JitterSlot),
            max_retries: values.get(Field::MaxRetries),
            max_elapsed: values.get(Field::MaxElapsed),
            throttled_base: values.get(Field::ThrottledBase),
            retry_after_max: values.get(Field::RetryAfterMax),
            retry_after_max_extra: values.get(Field::RetryAfterMaxExtra),
            retry_after: values.kind(Field::RetryAfter),
            plain: 0,
        };
        parameters.plain = parameters.are_plain().into();
        parameters
    }

    /// Whether the formulas in `plain` are those of these kinds and numbers.
    fn are_plain(&self) -> bool {
        (self.growth, self.jitter, self.cap_on) == (EXPONENTIAL, FULL, ON_WINDOW)
            && self.multiplier == Ratio::DOUBLE
            && (self.offset, self.floor) == (0, 0)
    }

    /// Whether the formulas in `plain` compute the delays.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.plain == 1
    }

    /// The values of the fields.
    pub(crate) fn values(&self) -> FieldValues {
        let mut values = FieldValues::default();
        for (field, value) in [
            (Field::Growth, self.growth.into()),
            (Field::Base, self.base),
            (Field::Increment, self.increment),
            (Field::Multiplier, self.multiplier.to_value()),
            (Field::Power, self.power.into()),
            (Field::Origin, self.origin),
            (Field::Offset, self.offset),
            (Field::Cap, self.cap),
            (Field::CapOn, self.cap_on.into()),
            (Field::Floor, self.floor),
            (Field::Jitter, self.jitter.into()),
            (Field::JitterBelow, self.jitter_below.to_value()),
            (Field::JitterAbove, self.jitter_above.to_value()),
            (Field::JitterMax, self.jitter_max),
            (Field::JitterIncrement, self.jitter_increment),
            (Field::JitterSlot, self.jitter_slot),
            (Field::MaxRetries, self.max_retries),
            (Field::MaxElapsed, self.max_elapsed),
            (Field::ThrottledBase, self.throttled_base),
            (Field::RetryAfter, self.retry_after.into()),
            (Field::RetryAfterMax, self.retry_after_max),
            (Field::RetryAfterMaxExtra, self.retry_after_max_extra),
        ] {
            values.set(field, value);
        }
        values
    }

    /// The smallest base that its multiplier, floored to a nanosecond, makes longer; at least 1.
    pub(crate) fn min_growing_base(&self) -> u64 {
        let Ratio { numerator, denominator } = self.multiplier;
        match numerator.saturating_sub(denominator) {
            0 => 1,
            excess => denominator.div_ceil(excess).into(),
        }
    }
}
