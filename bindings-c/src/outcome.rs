//! The outcomes of attempts and the reasons to stop, with their names.

use core::ffi::c_char;

use backoff_core::{Outcome, StopReason};

use crate::field::position;
use crate::text::{bytes_at, name_of};

/// How an attempt ended.
pub type backoff_outcome = u32;

/// No attempt ended: the loop was cancelled.
pub const BACKOFF_OUTCOME_NONE: u32 = 0;
/// The attempt succeeded.
pub const BACKOFF_OUTCOME_SUCCESS: u32 = 1;
/// The attempt failed, and a later attempt may succeed.
pub const BACKOFF_OUTCOME_TRANSIENT: u32 = 2;
/// The server rejected the attempt because it is overloaded or the client sent too many requests.
pub const BACKOFF_OUTCOME_THROTTLED: u32 = 3;
/// There was no answer in time.
pub const BACKOFF_OUTCOME_TIMEOUT: u32 = 4;
/// The attempt failed, and must not or need not be repeated.
pub const BACKOFF_OUTCOME_PERMANENT: u32 = 5;

/// Why an operation or a loop stopped. A later version may add reasons: treat an unknown one as a stop.
pub type backoff_reason = u32;

/// Not stopped.
pub const BACKOFF_REASON_NONE: u32 = 0;
/// Stopped: the attempt succeeded.
pub const BACKOFF_REASON_SUCCESS: u32 = 1;
/// Stopped: the failure was permanent.
pub const BACKOFF_REASON_PERMANENT: u32 = 2;
/// Stopped: max_retries was reached.
pub const BACKOFF_REASON_MAX_RETRIES: u32 = 3;
/// Stopped: the next wait would exceed max_elapsed.
pub const BACKOFF_REASON_MAX_ELAPSED: u32 = 4;
/// Stopped: the next wait would end after the deadline.
pub const BACKOFF_REASON_DEADLINE: u32 = 5;
/// Stopped: the budget did not grant a retry.
pub const BACKOFF_REASON_BUDGET: u32 = 6;
/// Stopped: the caller cancelled.
pub const BACKOFF_REASON_CANCELLED: u32 = 7;

/// Returns the name of an outcome, such as "transient": the same name in every language. The string
/// is static and never NULL; 0, the outcome of a cancelled loop, returns "none", and an unknown
/// number "unknown_outcome".
#[unsafe(no_mangle)]
pub extern "C" fn backoff_outcome_name(outcome: backoff_outcome) -> *const c_char {
    if outcome == 0 {
        return c"none".as_ptr();
    }
    name_of!(Outcome::ALL, outcome => outcome.name(), position(outcome, BACKOFF_OUTCOME_SUCCESS))
        .unwrap_or(c"unknown_outcome".as_ptr())
}

/// Returns the name of a reason, such as "max_retries": the same name in every language. The string
/// is static and never NULL; 0, the reason of an operation that has not stopped, returns "none",
/// and an unknown number "unknown_reason".
#[unsafe(no_mangle)]
pub extern "C" fn backoff_reason_name(reason: backoff_reason) -> *const c_char {
    if reason == 0 {
        return c"none".as_ptr();
    }
    name_of!(StopReason::ALL, reason => reason.name(), position(reason, BACKOFF_REASON_SUCCESS))
        .unwrap_or(c"unknown_reason".as_ptr())
}

/// Returns the outcome of a name of `length` bytes, or BACKOFF_OUTCOME_NONE if no outcome has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_outcome_from_name(
    name: *const c_char,
    length: u64,
) -> backoff_outcome {
    // SAFETY: the caller promises the name.
    let name = unsafe { bytes_at(name, length) };
    let named = Outcome::ALL.iter().find(|outcome| Ok(outcome.name().as_bytes()) == name);
    named.map_or(BACKOFF_OUTCOME_NONE, |outcome| *outcome as u32)
}

/// Returns the reason of a name of `length` bytes, or BACKOFF_REASON_NONE if no reason has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_reason_from_name(
    name: *const c_char,
    length: u64,
) -> backoff_reason {
    // SAFETY: the caller promises the name.
    let name = unsafe { bytes_at(name, length) };
    let named = StopReason::ALL.iter().find(|reason| Ok(reason.name().as_bytes()) == name);
    named.map_or(BACKOFF_REASON_NONE, |reason| *reason as u32)
}
