use core::ffi::c_char;

use backoff_core::Policy;

use crate::code::{BACKOFF_NULL_POINTER, BACKOFF_OK, backoff_error};
use crate::policy::{FilledPolicy, backoff_policy};
use crate::text::{put_text, text_at};

/// In an error: it is not of a line.
pub const BACKOFF_LINE_NONE: u32 = 0;
/// In an error: it is of the line of a policy.
pub const BACKOFF_LINE_POLICY: u32 = 1;
/// In an error: it is of the line of a budget.
pub const BACKOFF_LINE_BUDGET: u32 = 2;

/// Makes a policy of the `length` bytes of a line (SPEC 11), without a terminating zero:
/// "full:base=100ms,cap=20s,max_retries=5", or a preset (SPEC 12), with changes or without:
/// "aws-sdk-2026:max_retries=5".
///
/// If the line breaks a rule, returns its code (BACKOFF_UNKNOWN_KIND to BACKOFF_TEXT_TOO_LONG),
/// and if `error` is not NULL fills it, with where in the line and what was found there, too; the
/// policy is left as it was. Also fails with BACKOFF_NULL_POINTER or BACKOFF_TOO_LONG; then
/// `error` is left as it was, too.
///
/// # Safety
/// The pointers that are not NULL point to structs of their types, `text` to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_policy_parse(
    policy: *mut backoff_policy,
    text: *const c_char,
    length: u64,
    error: *mut backoff_error,
) -> u32 {
    if policy.is_null() {
        return BACKOFF_NULL_POINTER;
    }
    // SAFETY: the caller's promise is the same.
    match unsafe { text_at(text, length) }.map(Policy::parse) {
        Ok(Ok(value)) => {
            // SAFETY: not null, and the caller promises a policy there.
            unsafe { FilledPolicy::put(policy, value) };
            BACKOFF_OK
        }
        // SAFETY: the caller's promise is the same.
        Ok(Err(refused)) => unsafe { backoff_error::of_line(&refused).put(error) },
        Err(code) => code,
    }
}

/// Writes the line of a policy (SPEC 11.8) with a terminating zero into a buffer of `size` bytes;
/// BACKOFF_TEXT_SIZE is always enough. It names no preset; parsed, it is an equal policy, and
/// equal policies have equal lines.
///
/// Fails with BACKOFF_NULL_POINTER, BACKOFF_UNINITIALIZED or BACKOFF_BUFFER_TOO_SMALL.
///
/// # Safety
/// `policy` points to a policy, `buffer` to `size` bytes that are not part of it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_policy_print(
    policy: *const backoff_policy,
    buffer: *mut c_char,
    size: u64,
) -> u32 {
    // SAFETY: the caller's promise is the same.
    match unsafe { FilledPolicy::read(policy) } {
        // SAFETY: the caller's promise is the same.
        Ok(policy) => unsafe { put_text(policy.line().as_bytes(), buffer, size) },
        Err(code) => code,
    }
}
