//! Units of time, and the numbers and names of fields and kinds.

use core::ffi::c_char;
use core::ptr::NonNull;

use backoff_core::Field;
use backoff_core::ffi::{self, BUDGET_FIELDS, POLICY_FIELDS, Unit};

use crate::code::{BACKOFF_ERROR_UNKNOWN_FIELD, BACKOFF_ERROR_UNUSED, BACKOFF_ERROR_WRONG_UNIT};
use crate::field_number::{
    BACKOFF_FIELD_BUDGET, BACKOFF_FIELD_CAP_ON, BACKOFF_FIELD_ELAPSED_FROM, BACKOFF_FIELD_GROWTH,
    BACKOFF_FIELD_JITTER, BACKOFF_FIELD_RETRY_AFTER, backoff_field,
};
use crate::text::name_of;

/// One nanosecond, the unit of every duration in this header.
pub const BACKOFF_NANOSECOND: u64 = 1u64;
/// A microsecond in nanoseconds.
pub const BACKOFF_MICROSECOND: u64 = 1000u64;
/// A millisecond in nanoseconds.
pub const BACKOFF_MILLISECOND: u64 = 1000000u64;
/// A second in nanoseconds.
pub const BACKOFF_SECOND: u64 = 1000000000u64;
/// The longest duration: 2^63 - 1 nanoseconds, about 292 years.
pub const BACKOFF_MAX_NS: u64 = 9223372036854775807u64;
/// The most waits of BACKOFF_GROWTH_STEPS.
pub const BACKOFF_MAX_WAITS: u64 = 16u64;

/// How windows grow.
pub type backoff_growth = u32;

/// The window is always the base.
pub const BACKOFF_GROWTH_CONSTANT: u32 = 1;
/// base + index * increment.
pub const BACKOFF_GROWTH_LINEAR: u32 = 2;
/// base * multiplier^index, rounded down to a nanosecond at each step.
pub const BACKOFF_GROWTH_EXPONENTIAL: u32 = 3;
/// base * (index + origin)^power.
pub const BACKOFF_GROWTH_POLYNOMIAL: u32 = 4;
/// base times 1, 1, 2, 3, 5, 8, ...
pub const BACKOFF_GROWTH_FIBONACCI: u32 = 5;
/// The waits of a list one after another, and then the last one (backoff_params_set_waits).
pub const BACKOFF_GROWTH_STEPS: u32 = 6;

/// How a delay is drawn from its window.
pub type backoff_jitter = u32;

/// The delay is the window.
pub const BACKOFF_JITTER_NONE: u32 = 1;
/// From 0 to the window.
pub const BACKOFF_JITTER_FULL: u32 = 2;
/// From half the window, rounded up, to the window.
pub const BACKOFF_JITTER_EQUAL: u32 = 3;
/// From window * (1 - jitter_below) to window * (1 + jitter_above).
pub const BACKOFF_JITTER_PROPORTIONAL: u32 = 4;
/// From the window to window + jitter_max + index * jitter_increment.
pub const BACKOFF_JITTER_ADDITIVE: u32 = 5;
/// From the base to multiplier times the previous delay. Requires BACKOFF_GROWTH_EXPONENTIAL.
pub const BACKOFF_JITTER_DECORRELATED: u32 = 6;
/// A whole number of slots, fewer than fit into the window (Ethernet).
pub const BACKOFF_JITTER_SLOTTED: u32 = 7;

/// What the cap limits.
pub type backoff_cap_on = u32;

/// The cap limits the window, before jitter. Proportional and additive jitter may exceed it.
pub const BACKOFF_CAP_ON_WINDOW: u32 = 1;
/// The cap limits the delay, after jitter: a hard maximum, at which delays collect.
pub const BACKOFF_CAP_ON_DELAY: u32 = 2;

/// The effect of a Retry-After.
pub type backoff_retry_after_mode = u32;

/// Wait for the longer of the delay and the Retry-After.
pub const BACKOFF_RETRY_AFTER_AT_LEAST: u32 = 1;
/// Wait for the Retry-After.
pub const BACKOFF_RETRY_AFTER_EXACT: u32 = 2;
/// Wait for one to one and a half times the Retry-After, at random, so that clients with the same
/// Retry-After do not return together.
pub const BACKOFF_RETRY_AFTER_SPREAD: u32 = 3;

/// When the time that max_elapsed limits begins.
pub type backoff_elapsed_from = u32;

/// When the operation begins.
pub const BACKOFF_ELAPSED_FROM_BEGIN: u32 = 1;
/// When its first attempt fails.
pub const BACKOFF_ELAPSED_FROM_FAILURE: u32 = 2;

/// How a budget limits retries.
pub type backoff_budget_kind = u32;

/// Every retry costs tokens, and a success refunds them.
pub const BACKOFF_BUDGET_KIND_QUOTA: u32 = 1;
/// Failures take tokens, successes earn a ratio, and retries stop at half of the tokens.
pub const BACKOFF_BUDGET_KIND_THROTTLE: u32 = 2;
/// Every operation earns a ratio of a retry.
pub const BACKOFF_BUDGET_KIND_RATIO: u32 = 3;
/// A token bucket that fills within a time.
pub const BACKOFF_BUDGET_KIND_RATE: u32 = 4;
/// Every operation earns a ratio of a retry for a time, on top of a reserve.
pub const BACKOFF_BUDGET_KIND_TTL: u32 = 5;
/// Only a ratio of the active operations may retry at the same time.
pub const BACKOFF_BUDGET_KIND_CONCURRENT: u32 = 6;

/// Returns the name of a field, such as "jitter_max": the same name in every language. The string
/// is static and never NULL; an unknown number returns "unknown_field".
#[unsafe(no_mangle)]
pub extern "C" fn backoff_field_name(field: backoff_field) -> *const c_char {
    name_of!(POLICY_FIELDS, field => field.name(), position(field, BACKOFF_FIELD_GROWTH))
        .or_else(|| {
            name_of!(BUDGET_FIELDS, field => field.name(), position(field, BACKOFF_FIELD_BUDGET))
        })
        .unwrap_or(c"unknown_field".as_ptr())
}

/// Returns the name of a kind of a field, such as "full" for BACKOFF_FIELD_JITTER and
/// BACKOFF_JITTER_FULL: the same name in every language. The fields with kinds are
/// BACKOFF_FIELD_GROWTH, BACKOFF_FIELD_JITTER, BACKOFF_FIELD_CAP_ON, BACKOFF_FIELD_RETRY_AFTER,
/// BACKOFF_FIELD_ELAPSED_FROM and BACKOFF_FIELD_BUDGET. The string is static and never NULL; other numbers return "unknown_kind".
#[unsafe(no_mangle)]
pub extern "C" fn backoff_kind_name(field: backoff_field, kind: u64) -> *const c_char {
    let kind = usize::try_from(kind).map_or(usize::MAX, |kind| kind.wrapping_sub(1));
    let name = match field {
        BACKOFF_FIELD_GROWTH => name_of!(kinds(Field::Growth), kind => kind, kind),
        BACKOFF_FIELD_JITTER => name_of!(kinds(Field::Jitter), kind => kind, kind),
        BACKOFF_FIELD_CAP_ON => name_of!(kinds(Field::CapOn), kind => kind, kind),
        BACKOFF_FIELD_RETRY_AFTER => name_of!(kinds(Field::RetryAfter), kind => kind, kind),
        BACKOFF_FIELD_ELAPSED_FROM => name_of!(kinds(Field::ElapsedFrom), kind => kind, kind),
        BACKOFF_FIELD_BUDGET => name_of!(kinds(Field::Budget), kind => kind, kind),
        _ => None,
    };
    name.unwrap_or(c"unknown_kind".as_ptr())
}

/// The names of the kinds of a field.
const fn kinds(field: Field) -> &'static [&'static str] {
    match ffi::field_unit(field) {
        Unit::Kind(names) => names,
        _ => &[],
    }
}

/// How a value is passed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Number,
    Ratio,
    Waits,
}

/// The field of a number, if it is one of `fields` and its value has this form.
pub(crate) fn field_of(number: u32, fields: &[Field], form: Form) -> Result<Field, u32> {
    let field = ffi::field_from_number(number)
        .filter(|field| fields.contains(field))
        .ok_or(BACKOFF_ERROR_UNKNOWN_FIELD)?;
    let form_of_field = match ffi::field_unit(field) {
        Unit::Ratio => Form::Ratio,
        Unit::Waits => Form::Waits,
        _ => Form::Number,
    };
    (form_of_field == form).then_some(field).ok_or(BACKOFF_ERROR_WRONG_UNIT)
}

/// Writes the value of a field that is not a ratio.
///
/// # Safety
/// `value` is valid for a write.
pub(crate) unsafe fn write_value(number: Option<u64>, value: NonNull<u64>) -> Result<(), u32> {
    // SAFETY: valid for a write by the caller's promise.
    unsafe { value.write(number.ok_or(BACKOFF_ERROR_UNUSED)?) }
    Ok(())
}

/// Writes the value of a field that is a ratio.
///
/// # Safety
/// Both terms are valid for a write.
pub(crate) unsafe fn write_ratio(
    number: Option<u64>,
    (numerator, denominator): (NonNull<u32>, NonNull<u32>),
) -> Result<(), u32> {
    let ratio = ffi::ratio_from_value(number.ok_or(BACKOFF_ERROR_UNUSED)?);
    // SAFETY: valid for a write by the caller's promise.
    unsafe {
        numerator.write(ratio.numerator());
        denominator.write(ratio.denominator());
    }
    Ok(())
}

/// The position of a number in a list whose numbers go up by one from the first.
pub(crate) fn position(number: u32, first: u32) -> usize {
    number.wrapping_sub(first) as usize
}
