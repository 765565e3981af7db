//! `backoff_policy`: made of fields or of a string, printed, and its delays.

use core::ffi::c_char;

use backoff_core::ffi::POLICY_FIELDS;
use backoff_core::{Policy, ffi};

use crate::code::{BACKOFF_ERROR_UNUSED, backoff_code};
use crate::error::{backoff_error, explained};
use crate::exported::{exported, required};
use crate::field::{Form, field_of, write_ratio, write_value};
use crate::field_number::backoff_field;
use crate::handle::Tagged;
use crate::params::{backoff_params, params_at};
use crate::text::{Output, bytes_at, write_text};

/// How long to wait before each retry. A policy is checked when it is made, and never changes.
///
/// Copy it freely. Any number of threads may use one policy at once.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub struct backoff_policy {
    opaque: [u64; 48],
}

pub(crate) type PolicyHandle = Tagged<Policy, { u64::from_le_bytes(*b"policy-1") }>;

/// The policy in a struct of C, or the preset "default" for NULL.
///
/// # Safety
/// As for `Tagged::get`.
pub(crate) unsafe fn policy_at<'a>(policy: *const backoff_policy) -> Result<&'a Policy, u32> {
    if policy.is_null() {
        return Ok(&ffi::DEFAULT_POLICY);
    }
    // SAFETY: the caller promises what `get` requires.
    unsafe { PolicyHandle::get(policy) }
}

/// Makes a policy from params, which are copied.
///
/// If the params break a rule of SPEC 8, returns the code of the rule (BACKOFF_ERROR_UNKNOWN_KIND
/// to BACKOFF_ERROR_GIVEN_TWICE, or BACKOFF_ERROR_TOO_MANY).
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_policy_init(
    policy: *mut backoff_policy,
    params: *const backoff_params,
    error: *mut backoff_error,
) -> backoff_code {
    explained!(error, {
        let policy = required(policy)?;
        let params = params_at(required(params.cast_mut())?)?;
        PolicyHandle::init(policy, ffi::build_policy(params)?);
        Ok(())
    })
}

/// Makes a policy from a policy string of `length` bytes (SPEC 11):
/// "full:base=100ms,cap=20s,max_retries=5", or a preset (SPEC 12), which may be followed by
/// changes: "aws-sdk-2026:max_retries=5".
///
/// A policy without max_retries (or max_attempts) and max_elapsed retries for ever, unless a
/// deadline, a budget or a cancellation stops the operation. The preset "immediate" is such a
/// policy, without a wait; "default:max_retries=0" makes no retries.
///
/// A ratio as the value of jitter replaces the jitter of the head by BACKOFF_JITTER_PROPORTIONAL:
/// with "full:base=1s,jitter=0.5" the first wait is 0.5 s to 1.5 s.
///
/// If the string breaks a rule, returns its code (BACKOFF_ERROR_UNKNOWN_KIND to BACKOFF_ERROR_TEXT_TOO_LONG,
/// or BACKOFF_ERROR_TOO_MANY), and `error` also has the place in the string and the text found there.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_policy_parse(
    policy: *mut backoff_policy,
    text: *const c_char,
    length: u64,
    error: *mut backoff_error,
) -> backoff_code {
    explained!(error, {
        let policy = required(policy)?;
        PolicyHandle::init(policy, Policy::parse(bytes_at(text, length)?)?);
        Ok(())
    })
}

/// Writes the canonical string of a policy (SPEC 11.8), for which BACKOFF_TEXT_SIZE is always
/// enough. It never contains a preset name. Parsing it gives an equal policy, and equal policies
/// have equal strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_policy_print(
    policy: *const backoff_policy,
    buffer: *mut c_char,
    size: u64,
    length: *mut u64,
) -> backoff_code {
    exported!({
        let text = policy_at(policy).map(Policy::text);
        write_text(&text, Output { buffer, size, length })
    })
}

/// Writes the value of a field of a policy, with its default filled in (SPEC 5.4): nanoseconds, a
/// count, or the number of a kind. A limit that is not set is the default of its field, which is
/// BACKOFF_MAX_NS or 2^32. BACKOFF_FIELD_MAX_ATTEMPTS is one more than BACKOFF_FIELD_MAX_RETRIES.
/// Params with all other values that can be read make an equal policy.
///
/// Fails with BACKOFF_ERROR_UNKNOWN_FIELD if the number is not a field of a policy,
/// BACKOFF_ERROR_WRONG_UNIT if the field is a ratio or BACKOFF_FIELD_WAITS, or BACKOFF_ERROR_UNUSED if
/// the policy does not use the field.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_policy_get(
    policy: *const backoff_policy,
    field: backoff_field,
    value: *mut u64,
) -> backoff_code {
    exported!({
        let value = required(value)?;
        let policy = policy_at(policy)?;
        let field = field_of(field, &POLICY_FIELDS, Form::Number)?;
        write_value(ffi::policy_value(policy, field), value)
    })
}

/// Writes the value of a field of a policy that is a ratio, in lowest terms:
/// BACKOFF_FIELD_MULTIPLIER, BACKOFF_FIELD_JITTER_BELOW or BACKOFF_FIELD_JITTER_ABOVE. 1.6 is 8 and
/// 5.
///
/// Fails as backoff_policy_get does, and with BACKOFF_ERROR_WRONG_UNIT if the field is not a ratio.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_policy_get_ratio(
    policy: *const backoff_policy,
    field: backoff_field,
    numerator: *mut u32,
    denominator: *mut u32,
) -> backoff_code {
    exported!({
        let terms = (required(numerator)?, required(denominator)?);
        let policy = policy_at(policy)?;
        let field = field_of(field, &POLICY_FIELDS, Form::Ratio)?;
        write_ratio(ffi::policy_value(policy, field), terms)
    })
}

/// Writes the waits of BACKOFF_GROWTH_STEPS in nanoseconds, the first `size` of them, and their number,
/// at most BACKOFF_MAX_WAITS. `waits_ns` may be NULL if `size` is 0.
///
/// Fails with BACKOFF_ERROR_UNUSED if the policy has another growth.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_policy_get_waits(
    policy: *const backoff_policy,
    waits_ns: *mut u64,
    size: u64,
    count: *mut u64,
) -> backoff_code {
    exported!({
        let count = required(count)?;
        if size > 0 {
            required(waits_ns)?;
        }
        let waits = ffi::policy_waits(policy_at(policy)?).as_ns();
        if waits.is_empty() {
            return Err(BACKOFF_ERROR_UNUSED);
        }
        let size = usize::try_from(size).unwrap_or(usize::MAX).min(waits.len());
        if size > 0 {
            waits_ns.copy_from_nonoverlapping(waits.as_ptr(), size);
        }
        count.write(waits.len() as u64);
        Ok(())
    })
}

/// Writes the maximum number of retries of a policy, 0 to 2^32: the number of delays after which an
/// iterator ends, and one less than the number of attempts. 2^32 means no limit.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_policy_max_retries(
    policy: *const backoff_policy,
    max_retries: *mut u64,
) -> backoff_code {
    exported!({
        let max_retries = required(max_retries)?;
        max_retries.write(policy_at(policy)?.max_retries());
        Ok(())
    })
}

/// Makes a policy from another by the pairs of a text of `length` bytes, such as
/// "jitter=0.5,max_retries=5": the policy that the string of `policy`, followed by these pairs,
/// describes. `changed` may be the policy itself.
///
/// Fails as backoff_policy_parse does. The places in `error` are those of the text.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_policy_change_text(
    policy: *const backoff_policy,
    text: *const c_char,
    length: u64,
    changed: *mut backoff_policy,
    error: *mut backoff_error,
) -> backoff_code {
    explained!(error, {
        let changed = required(changed)?;
        let policy = *policy_at(policy)?;
        PolicyHandle::init(changed, ffi::change_policy_by(&policy, bytes_at(text, length)?)?);
        Ok(())
    })
}

/// Makes a policy from another by setting one field: nanoseconds, a count, or the number of a kind.
/// Setting the jitter unsets the fields of the old one, and setting max_attempts unsets max_retries.
/// The result must be a policy each time: for fields that need each other, such as a jitter with its
/// width or a base above the old cap, use backoff_policy_change_text. `changed` may be the policy
/// itself.
///
/// Fails as backoff_policy_init does, with BACKOFF_ERROR_UNKNOWN_FIELD if the number is not a field
/// of a policy, or with BACKOFF_ERROR_WRONG_UNIT if the field is a ratio or BACKOFF_FIELD_WAITS.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_policy_change(
    policy: *const backoff_policy,
    field: backoff_field,
    value: u64,
    changed: *mut backoff_policy,
    error: *mut backoff_error,
) -> backoff_code {
    explained!(error, {
        let changed = required(changed)?;
        let policy = *policy_at(policy)?;
        let field = field_of(field, &POLICY_FIELDS, Form::Number)?;
        PolicyHandle::init(changed, ffi::change_policy(&policy, field, value)?);
        Ok(())
    })
}

/// Makes a policy from another by setting one field that is a ratio: BACKOFF_FIELD_MULTIPLIER,
/// BACKOFF_FIELD_JITTER_BELOW or BACKOFF_FIELD_JITTER_ABOVE. 1.6 is 8 and 5.
///
/// Fails as backoff_policy_change does, and with BACKOFF_ERROR_WRONG_UNIT if the field is not a
/// ratio.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_policy_change_ratio(
    policy: *const backoff_policy,
    field: backoff_field,
    numerator: u32,
    denominator: u32,
    changed: *mut backoff_policy,
    error: *mut backoff_error,
) -> backoff_code {
    explained!(error, {
        let changed = required(changed)?;
        let policy = *policy_at(policy)?;
        let field = field_of(field, &POLICY_FIELDS, Form::Ratio)?;
        let value = ffi::ratio_value(numerator, denominator);
        PolicyHandle::init(changed, ffi::change_policy(&policy, field, value)?);
        Ok(())
    })
}
