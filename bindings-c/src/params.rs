//! `backoff_params`: the fields that a caller sets, before they become a policy or a budget.

use core::ffi::c_char;
use core::ptr::NonNull;

use backoff_core::ffi::{self, FieldSet, POLICY_FIELDS};
use backoff_core::{Ratio, RatioError, Waits};

use crate::code::{
    BACKOFF_ERROR_NOT_A_RATIO, BACKOFF_ERROR_RATIO_TOO_FINE, BACKOFF_ERROR_UNINITIALIZED,
    BACKOFF_ERROR_ZERO_DENOMINATOR, backoff_code,
};
use crate::exported::{exported, required};
use crate::field::{BACKOFF_MAX_WAITS, Form, field_of};
use crate::field_number::backoff_field;
use crate::text::bytes_at;

/// The fields of a policy before they are checked; each is set or not set. Start with
/// BACKOFF_PARAMS_INIT (zeroed memory), which sets no field. Set fields with backoff_params_set and
/// backoff_params_set_ratio, then make the policy with backoff_policy_init.
///
/// Not thread-safe.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub struct backoff_params {
    opaque: [u64; 64],
}

const _: () = assert!(
    size_of::<FieldSet>() <= size_of::<backoff_params>()
        && align_of::<FieldSet>() <= align_of::<backoff_params>()
);

/// Sets a field: nanoseconds, a count, or the number of a kind. Setting it again replaces the
/// value. backoff_policy_init checks the value.
///
/// Fails with BACKOFF_ERROR_UNKNOWN_FIELD, or BACKOFF_ERROR_WRONG_UNIT if the field is a ratio or
/// BACKOFF_FIELD_WAITS. The field is then not set, and backoff_policy_init does not know of it: check the
/// code where `field` is not a constant.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_params_set(
    params: *mut backoff_params,
    field: backoff_field,
    value: u64,
) -> backoff_code {
    exported!({ set(required(params)?, field, value, Form::Number) })
}

/// Sets a field that is a ratio: BACKOFF_FIELD_MULTIPLIER, BACKOFF_FIELD_JITTER_BELOW or
/// BACKOFF_FIELD_JITTER_ABOVE. 1.6 is 8 and 5, or 16 and 10. Setting it again replaces the value.
/// backoff_policy_init checks the value.
///
/// Fails with BACKOFF_ERROR_UNKNOWN_FIELD, or BACKOFF_ERROR_WRONG_UNIT if the field is not a ratio.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_params_set_ratio(
    params: *mut backoff_params,
    field: backoff_field,
    numerator: u32,
    denominator: u32,
) -> backoff_code {
    let value = ffi::ratio_value(numerator, denominator);
    exported!({ set(required(params)?, field, value, Form::Ratio) })
}

/// Sets BACKOFF_FIELD_WAITS, the windows of BACKOFF_GROWTH_STEPS: `count` nanoseconds. Setting it
/// again replaces them. backoff_policy_init checks the waits, of which there may be 1 to
/// BACKOFF_MAX_WAITS: of none and of more it says BACKOFF_ERROR_MISSING and BACKOFF_ERROR_TOO_MANY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_params_set_waits(
    params: *mut backoff_params,
    waits_ns: *const u64,
    count: u64,
) -> backoff_code {
    exported!({
        let params = params_of(required(params)?)?;
        // Of a list that is too long, the length is all that matters.
        let most = BACKOFF_MAX_WAITS + 1;
        let bytes = bytes_at(waits_ns.cast(), count.min(most) * size_of::<u64>() as u64)?;
        let (words, _) = bytes.as_chunks();
        params.set_waits(Waits::from_ns(words.iter().map(|&word| u64::from_ne_bytes(word))));
        Ok(())
    })
}

/// Writes the exact ratio that a text of `length` bytes denotes, in lowest terms: "1.6", "160%",
/// "16/10" and "16e-1" are 8 and 5.
///
/// Fails with BACKOFF_ERROR_NOT_A_RATIO, BACKOFF_ERROR_ZERO_DENOMINATOR, or
/// BACKOFF_ERROR_RATIO_TOO_FINE if the numerator or denominator is above 4294967295 in lowest
/// terms. (A policy rejects numbers above 1000000.)
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_ratio_parse(
    text: *const c_char,
    length: u64,
    numerator: *mut u32,
    denominator: *mut u32,
) -> backoff_code {
    exported!({
        let (numerator, denominator) = (required(numerator)?, required(denominator)?);
        let ratio = Ratio::parse(bytes_at(text, length)?).map_err(code_of_ratio)?;
        numerator.write(ratio.numerator());
        denominator.write(ratio.denominator());
        Ok(())
    })
}

/// Writes the nanoseconds of a duration as policy strings write it, such as "100ms" or "1.5s" (SPEC
/// 11.4), in `length` bytes.
///
/// Fails with BACKOFF_ERROR_NOT_A_DURATION, BACKOFF_ERROR_MISSING_UNIT, BACKOFF_ERROR_UNKNOWN_UNIT,
/// BACKOFF_ERROR_DURATION_TOO_FINE, or BACKOFF_ERROR_TOO_LARGE above BACKOFF_MAX_NS.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_duration_parse(
    text: *const c_char,
    length: u64,
    duration_ns: *mut u64,
) -> backoff_code {
    exported!({
        let duration_ns = required(duration_ns)?;
        let parsed = backoff_core::parse_duration_ns(bytes_at(text, length)?);
        duration_ns.write(parsed.map_err(|error| error.code() as u32)?);
        Ok(())
    })
}

fn code_of_ratio(error: RatioError) -> u32 {
    match error {
        RatioError::ZeroDenominator => BACKOFF_ERROR_ZERO_DENOMINATOR,
        RatioError::TooFine => BACKOFF_ERROR_RATIO_TOO_FINE,
        _ => BACKOFF_ERROR_NOT_A_RATIO,
    }
}

/// # Safety
/// `params` is valid for reads and writes, and nobody else uses it during the call.
unsafe fn set(
    params: NonNull<backoff_params>,
    field: backoff_field,
    value: u64,
    form: Form,
) -> Result<(), u32> {
    let field = field_of(field, &POLICY_FIELDS, form)?;
    // SAFETY: the caller promises the pointer.
    unsafe { params_of(params) }?.set(field, value);
    Ok(())
}

/// The params of the core in a struct of C, to change them.
///
/// # Safety
/// `params` is valid for reads and writes, and nobody else uses it during `'a`.
unsafe fn params_of<'a>(params: NonNull<backoff_params>) -> Result<&'a mut FieldSet, u32> {
    // SAFETY: `FieldSet` fits into the struct and is plain integers, so any bytes are a valid one.
    let params = unsafe { params.cast::<FieldSet>().as_mut() };
    if params.is_valid() { Ok(params) } else { Err(BACKOFF_ERROR_UNINITIALIZED) }
}

/// The params of the core in a struct of C.
///
/// # Safety
/// `params` is valid for reads, and nobody writes to it during `'a`.
pub(crate) unsafe fn params_at<'a>(params: NonNull<backoff_params>) -> Result<&'a FieldSet, u32> {
    // SAFETY: `FieldSet` fits into the struct and is plain integers, so any bytes are a valid one.
    let params = unsafe { params.cast::<FieldSet>().as_ref() };
    if params.is_valid() { Ok(params) } else { Err(BACKOFF_ERROR_UNINITIALIZED) }
}
