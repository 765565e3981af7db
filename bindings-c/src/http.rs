//! What the status and the header fields of an HTTP response say (SPEC 14).

use core::ffi::c_char;

use backoff_core::{Outcome, http_retry_after_ns, is_idempotent_method, parse_retry_after_ns};

use crate::code::{BACKOFF_ERROR_NOT_A_RETRY_AFTER, backoff_code};
use crate::exported::{exported, required};
use crate::outcome::backoff_outcome;
use crate::text::bytes_at;

/// Returns the outcome of an HTTP status (SPEC 14.4): BACKOFF_OUTCOME_THROTTLED for 429 and 503,
/// BACKOFF_OUTCOME_TIMEOUT for 408 and 504, BACKOFF_OUTCOME_TRANSIENT for 425, 500 and 502,
/// BACKOFF_OUTCOME_SUCCESS from 100 to 399, and BACKOFF_OUTCOME_PERMANENT for any other number,
/// also for 0, which HTTP libraries report if there was no answer: do not pass it. The caller
/// decides whether the request may be repeated at all.
#[unsafe(no_mangle)]
pub extern "C" fn backoff_http_outcome(status: u32) -> backoff_outcome {
    u16::try_from(status).map_or(Outcome::Permanent, Outcome::from_http_status) as u32
}

/// Returns 1 if a request with this method, which has `length` bytes in upper case, may be repeated without
/// asking anyone: GET, HEAD, OPTIONS, TRACE, PUT or DELETE (SPEC 14.6). Returns 0 for any other
/// method, for NULL, and for a length that no memory has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_is_idempotent_method(method: *const c_char, length: u64) -> u32 {
    // SAFETY: the caller's promise.
    let method = unsafe { bytes_at(method, length) };
    method.is_ok_and(is_idempotent_method).into()
}

/// Writes the time that a server asked to wait, in ns, from the value of its Retry-After header,
/// which has `length` bytes: a number of seconds, or a date. A number above 10^9 is a time in
/// seconds since 1970. `now_ns` is the current time in ns since 1970 (UTC), for a time or a date;
/// one in the past gives 0. The result may be as long as BACKOFF_MAX_NS: the policy's
/// retry_after_max and retry_after_max_extra limit the wait, and nothing else does.
///
/// Fails with BACKOFF_ERROR_NOT_A_RETRY_AFTER if the value is neither, or longer than 1024 bytes
/// (SPEC 14).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_parse_retry_after(
    text: *const c_char,
    length: u64,
    now_ns: u64,
    retry_after_ns: *mut u64,
) -> backoff_code {
    exported!({
        let retry_after_ns = required(retry_after_ns)?;
        let parsed = parse_retry_after_ns(bytes_at(text, length)?, now_ns);
        retry_after_ns.write(parsed.ok_or(BACKOFF_ERROR_NOT_A_RETRY_AFTER)?);
        Ok(())
    })
}

/// Writes the time that a server asked to wait, in ns, from the status and the header fields of its
/// response, which have `length` bytes: a field in a line, as in HTTP/1.1. `retry-after-ms` is in
/// milliseconds, Retry-After is that of backoff_parse_retry_after; with status 429 also RateLimit,
/// RateLimit-Reset and X-RateLimit-Reset count. The first that is valid decides, in this order
/// (SPEC 14.5). `now_ns` and the result are those of backoff_parse_retry_after.
///
/// Fails with BACKOFF_ERROR_NOT_A_RETRY_AFTER if there is no such field with a valid value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_http_retry_after(
    status: u32,
    fields: *const c_char,
    length: u64,
    now_ns: u64,
    retry_after_ns: *mut u64,
) -> backoff_code {
    exported!({
        let retry_after_ns = required(retry_after_ns)?;
        let status = u16::try_from(status).unwrap_or_default();
        let found = http_retry_after_ns(status, bytes_at(fields, length)?, now_ns);
        retry_after_ns.write(found.ok_or(BACKOFF_ERROR_NOT_A_RETRY_AFTER)?);
        Ok(())
    })
}
