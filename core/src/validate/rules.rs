//! The rules of single fields, of policies (SPEC 8.2 to 8.4) and of budgets (SPEC 15.2).

use crate::error::code::ErrorCode;
use crate::error::policy_error::PolicyError;
use crate::field::set::FieldSet;
use crate::field::values::FieldValues;
use crate::field::waits::Waits;
use crate::field::{Field, Unit};
use crate::number::arithmetic::MAX_NS;
use crate::number::ratio::Ratio;

pub(crate) type Checked<T> = Result<T, PolicyError>;

/// The smallest multiplier that grows. It bounds the steps to any index.
const MIN_GROWING: Ratio = Ratio::new(101, 100);
const ONE: Ratio = Ratio::new(1, 1);

/// The values of the kinds among some fields. They come first because the other rules depend on
/// them.
pub(crate) fn resolve_kinds(params: &FieldSet, fields: &[Field]) -> Checked<FieldValues> {
    let mut values = FieldValues::default();
    for &field in fields {
        let Unit::Kind(names) = field.unit() else { continue };
        let most = names.len() as u64;
        match params.get(field).or(field.default_value(&values)) {
            Some(number) if (1..=most).contains(&number) => values.set(field, number),
            Some(number) => {
                return Err(PolicyError::new(ErrorCode::UnknownKind, field, number, most));
            }
            None => return Err(PolicyError::new(ErrorCode::Missing, field, 0, 0)),
        }
    }
    Ok(values)
}

/// Adds the values of the other fields, in their order. The arms of the match are the rules of
/// SPEC 8.4 in the order in which they apply: the first that matches decides.
pub(crate) fn resolve_values(
    params: &FieldSet,
    fields: &[Field],
    values: &mut FieldValues,
) -> Checked<()> {
    for &field in fields {
        let set = params.get(field);
        let value = match (field, field.unit(), set) {
            (_, Unit::Kind(_), _) | (Field::MaxAttempts, _, None) => continue,
            (Field::MaxAttempts, _, Some(attempts)) => {
                if let Some(retries) = params.get(Field::MaxRetries) {
                    let code = ErrorCode::GivenTwice;
                    return Err(PolicyError::new(code, field, attempts, retries));
                }
                let retries = in_range(values, field, attempts)?.saturating_sub(1);
                values.set(Field::MaxRetries, retries);
                continue;
            }
            (_, _, Some(value)) if !values.uses(field) => {
                let kind = values.get(field.used_by().0);
                return Err(PolicyError::new(ErrorCode::Unused, field, value, kind));
            }
            _ if !values.uses(field) => continue,
            (Field::Waits, _, Some(_)) => {
                check_waits(params.waits())?;
                values.set_waits(*params.waits());
                continue;
            }
            (Field::JitterBelow, _, None) if params.get(Field::JitterAbove).is_none() => None,
            _ => set.or(field.default_value(values)),
        };
        let Some(value) = value else {
            return Err(PolicyError::new(ErrorCode::Missing, field, 0, 0));
        };
        values.set(field, in_range(values, field, value)?);
    }
    Ok(())
}

/// Checks that a policy can have these waits of growth in steps. A list without entries is missing.
fn check_waits(waits: &Waits) -> Checked<()> {
    let (count, most) = (waits.length(), Waits::MAX as u64);
    let (code, value, limit) = if count == 0 {
        (ErrorCode::Missing, 0, 0)
    } else if count > most {
        (ErrorCode::TooMany, count, most)
    } else if let Some(&wait) = waits.as_ns().iter().find(|&&wait| wait > MAX_NS) {
        (ErrorCode::TooLarge, wait, MAX_NS)
    } else {
        return Ok(());
    };
    Err(PolicyError::new(code, Field::Waits, value, limit))
}

/// Checks that a value lies between two bounds.
pub(crate) fn between(field: Field, value: u64, min: u64, max: u64) -> Checked<u64> {
    if value > max {
        Err(PolicyError::new(ErrorCode::TooLarge, field, value, max))
    } else if value < min {
        Err(PolicyError::new(ErrorCode::TooSmall, field, value, min))
    } else {
        Ok(value)
    }
}

/// The value of a field if it is in range; a ratio in lowest terms.
fn in_range(values: &FieldValues, field: Field, value: u64) -> Checked<u64> {
    if matches!(field.unit(), Unit::Ratio) {
        return ratio_in_range(field, value);
    }
    let (min, max) = field.range(values);
    between(field, value, min, max)
}

fn ratio_in_range(field: Field, value: u64) -> Checked<u64> {
    let ratio = Ratio::from_value(value);
    if ratio.denominator == 0 {
        return Err(PolicyError::new(ErrorCode::ZeroDenominator, field, value, 1));
    }
    if ratio.numerator.max(ratio.denominator) > Ratio::MAX_TERM {
        let limit = Ratio::MAX_TERM.into();
        return Err(PolicyError::new(ErrorCode::RatioTooFine, field, value, limit));
    }
    let refuse = |code, limit: Ratio| Err(PolicyError::new(code, field, value, limit.to_value()));
    if field != Field::Multiplier {
        if ONE.is_below(ratio) {
            return refuse(ErrorCode::TooLarge, ONE);
        }
    } else if ratio.is_below(ONE) {
        return refuse(ErrorCode::TooSmall, ONE);
    } else if ratio != ONE && ratio.is_below(MIN_GROWING) {
        return refuse(ErrorCode::TooSmall, MIN_GROWING);
    }
    Ok(ratio.to_value())
}
