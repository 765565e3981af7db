use core::ffi::c_char;

use backoff_core::{Outcome, retry_after_ns};

use crate::code::{BACKOFF_NOT_A_HINT, BACKOFF_NULL_POINTER, BACKOFF_OK};
use crate::text::text_at;

/// Writes how long a server asked to wait, in ns, by the `length` bytes of the value of its
/// Retry-After header: seconds, or a date, which is compared with the time now in ns since 1970
/// (UTC). A date that has passed is 0. It may be as long as BACKOFF_MAX_NS: only hint_max and
/// hint_max_extra of a policy bound how long an operation waits for it.
///
/// Fails with BACKOFF_NULL_POINTER, BACKOFF_TOO_LONG, or with BACKOFF_NOT_A_HINT for a value that
/// is neither (SPEC 14).
///
/// # Safety
/// `text` points to `length` bytes, `hint_ns` to a word.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_retry_after(
    text: *const c_char,
    length: u64,
    now_ns: u64,
    hint_ns: *mut u64,
) -> u32 {
    if hint_ns.is_null() {
        return BACKOFF_NULL_POINTER;
    }
    // SAFETY: the caller's promise is the same.
    match unsafe { text_at(text, length) }.map(|text| retry_after_ns(text, now_ns)) {
        Ok(Some(hint)) => {
            // SAFETY: not null, and the caller promises a word there.
            unsafe { hint_ns.write(hint) };
            BACKOFF_OK
        }
        Ok(None) => BACKOFF_NOT_A_HINT,
        Err(code) => code,
    }
}

/// The outcome that the status of an HTTP response is (SPEC 14.4): BACKOFF_OUTCOME_THROTTLED for
/// 429 and 503, BACKOFF_OUTCOME_TIMEOUT for 408 and 504, BACKOFF_OUTCOME_TRANSIENT for 425, 500
/// and 502, BACKOFF_OUTCOME_SUCCESS from 100 to 399, and BACKOFF_OUTCOME_PERMANENT for any other
/// number. Whether a request may be repeated at all is for the caller to say.
#[unsafe(no_mangle)]
pub extern "C" fn backoff_http_outcome(status: u32) -> u32 {
    u16::try_from(status).map_or(Outcome::Permanent, Outcome::from_http_status) as u32
}
