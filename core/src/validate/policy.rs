//! Building the parameters of a policy by the rules of SPEC 8, in their order.

use crate::error::code::ErrorCode;
use crate::error::policy_error::PolicyError;
use crate::field::kind::{DECORRELATED, EXPONENTIAL};
use crate::field::set::FieldSet;
use crate::field::values::FieldValues;
use crate::field::{Field, POLICY_FIELDS};
use crate::number::ratio::Ratio;
use crate::schedule::ScheduleParams;
use crate::validate::rules::{Checked, resolve_kinds, resolve_values};

/// The parameters that these fields describe, or the first rule of SPEC 8 that they break.
pub(crate) fn build(params: &FieldSet) -> Checked<ScheduleParams> {
    let kinds = [Field::Growth, Field::Jitter, Field::CapOn, Field::RetryAfter, Field::ElapsedFrom];
    let mut values = resolve_kinds(params, &kinds)?;
    let growth = values.get(Field::Growth);
    if values.kind(Field::Jitter) == DECORRELATED && growth != EXPONENTIAL.into() {
        let needed = EXPONENTIAL.into();
        return Err(PolicyError::new(ErrorCode::NotExponential, Field::Growth, growth, needed));
    }
    resolve_values(params, &POLICY_FIELDS, &mut values)?;
    check_durations(&values)?;
    Ok(ScheduleParams::from_values(&values))
}

/// The rules between fields (SPEC 8.5).
fn check_durations(values: &FieldValues) -> Checked<()> {
    let [base, offset, cap, floor, throttled_base] =
        [Field::Base, Field::Offset, Field::Cap, Field::Floor, Field::ThrottledBase]
            .map(|field| values.get(field));
    if cap < base {
        return Err(PolicyError::new(ErrorCode::CapBelowBase, Field::Cap, cap, base));
    }
    if offset > cap {
        return Err(PolicyError::new(ErrorCode::OffsetAboveCap, Field::Offset, offset, cap));
    }
    if floor > cap {
        return Err(PolicyError::new(ErrorCode::FloorAboveCap, Field::Floor, floor, cap));
    }
    check_growth(values, Field::Base)?;
    if throttled_base > cap {
        let (code, field) = (ErrorCode::TooLarge, Field::ThrottledBase);
        return Err(PolicyError::new(code, field, throttled_base, cap));
    }
    check_growth(values, Field::ThrottledBase)
}

/// Whether the multiplier, floored to a nanosecond, makes a base longer. A base of 0 and a
/// multiplier of 1 are not meant to grow.
fn check_growth(values: &FieldValues, field: Field) -> Checked<()> {
    let base = values.get(field);
    let needed = Ratio::from_value(values.get(Field::Multiplier)).min_growing_base();
    if base > 0 && base < needed {
        return Err(PolicyError::new(ErrorCode::GrowthStalls, field, base, needed));
    }
    Ok(())
}
