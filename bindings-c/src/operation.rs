use core::ffi::c_char;

use backoff_core::{Decision, Operation, Outcome, StopReason, Stream};

use crate::budget::{backoff_budget, budget_at};
use crate::code::{BACKOFF_NULL_POINTER, BACKOFF_OK, BACKOFF_UNKNOWN_OUTCOME};
use crate::filled::Filled;
use crate::name::name_of;
use crate::policy::{FilledPolicy, backoff_policy};

/// No deadline, no hint. (A hint as long as this counts as BACKOFF_MAX_NS: give that.)
pub const BACKOFF_NONE: u64 = 18446744073709551615u64;

/// The attempt did what it should.
pub const BACKOFF_OUTCOME_SUCCESS: u32 = 1;
/// A failure that may pass.
pub const BACKOFF_OUTCOME_TRANSIENT: u32 = 2;
/// A failure because the server has too much to do.
pub const BACKOFF_OUTCOME_THROTTLED: u32 = 3;
/// No answer in time.
pub const BACKOFF_OUTCOME_TIMEOUT: u32 = 4;
/// A failure that another attempt would not mend, or that may not be repeated.
pub const BACKOFF_OUTCOME_PERMANENT: u32 = 5;

/// Stopped: the attempt succeeded.
pub const BACKOFF_REASON_SUCCESS: u32 = 1;
/// Stopped: the failure was permanent.
pub const BACKOFF_REASON_PERMANENT: u32 = 2;
/// Stopped: all retries were made.
pub const BACKOFF_REASON_MAX_RETRIES: u32 = 3;
/// Stopped: the wait would end later after the beginning than the policy allows.
pub const BACKOFF_REASON_MAX_ELAPSED: u32 = 4;
/// Stopped: the wait would end after the deadline.
pub const BACKOFF_REASON_DEADLINE: u32 = 5;
/// Stopped: the budget refused.
pub const BACKOFF_REASON_BUDGET: u32 = 6;
/// Stopped: the caller gave up.
pub const BACKOFF_REASON_CANCELLED: u32 = 7;

/// What a caller attempts until it succeeds or is given up: told how each attempt ended, it
/// answers whether to wait and how long, or why to stop (SPEC 13).
///
/// Times are nanoseconds of any clock that does not go back, read by the caller; the same clock
/// for all operations on a budget.
///
/// Caller-owned, nothing to free. Not for use from two threads at once. To go on with a copy and
/// its original both is a mistake: what one holds of a budget, two would give back. Its words are
/// the library's: write them only through the functions that take one.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_operation {
    opaque: [u64; 40],
}

type FilledOperation = Filled<Operation, { u64::from_le_bytes(*b"operate1") }>;

/// What to do after an attempt.
///
/// A plain value: copy it freely.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_decision {
    /// 0: wait, then attempt again. Else stop; one of the BACKOFF_REASON constants says why.
    pub reason: u32,
    /// 0.
    pub reserved: u32,
    /// How long to wait, in ns; or the wait that was not begun, if a limit of time, the deadline
    /// or the budget stopped it.
    pub delay_ns: u64,
}

/// Begins an operation at a time, with a deadline in the same clock or BACKOFF_NONE, and with the
/// budget that its retries are to spend from or NULL. The policy is copied; the budget has to be
/// given again to each call, the same or NULL as here: another one is not noticed, and the
/// accounts of both are wrong from then on.
///
/// Whoever shares a stream waits the same: give each operation a key of its own
/// (backoff_stream_from_key), or take a stream from backoff_stream_from_entropy.
///
/// Every operation that began is to be told of a success, a permanent failure or its last failure,
/// or to be cancelled: a budget of the kind "concurrent" counts it until then.
///
/// Fails with BACKOFF_NULL_POINTER, or with BACKOFF_UNINITIALIZED if the policy or the budget is.
///
/// # Safety
/// The pointers that are not NULL point to structs of their types.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_operation_begin(
    operation: *mut backoff_operation,
    policy: *const backoff_policy,
    stream: u64,
    now_ns: u64,
    deadline_ns: u64,
    budget: *mut backoff_budget,
) -> u32 {
    if operation.is_null() {
        return BACKOFF_NULL_POINTER;
    }
    // SAFETY: the caller's promise is the same.
    let (policy, budget) = match unsafe { (FilledPolicy::read(policy), budget_at(budget)) } {
        (Ok(policy), Ok(budget)) => (policy, budget),
        (Err(code), _) | (_, Err(code)) => return code,
    };
    let stream = Stream::from_seed(stream);
    let value = Operation::begin(*policy, stream, now_ns, given(deadline_ns), budget);
    // SAFETY: not null, and the caller promises an operation there.
    unsafe { FilledOperation::put(operation, value) };
    BACKOFF_OK
}

/// Writes what to do after an attempt that ended so at this time (SPEC 13.4), with the hint of the
/// server in ns, such as backoff_retry_after writes, or BACKOFF_NONE. The budget is the one that
/// the operation began with. An operation that has stopped answers with its reason and changes
/// nothing.
///
/// Fails with BACKOFF_NULL_POINTER, BACKOFF_UNINITIALIZED if the operation or the budget is, or
/// with BACKOFF_UNKNOWN_OUTCOME.
///
/// # Safety
/// The pointers that are not NULL point to structs of their types.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_operation_decide(
    operation: *mut backoff_operation,
    outcome: u32,
    hint_ns: u64,
    now_ns: u64,
    budget: *mut backoff_budget,
    decision: *mut backoff_decision,
) -> u32 {
    if decision.is_null() {
        return BACKOFF_NULL_POINTER;
    }
    // SAFETY: the caller's promise is the same.
    let (operation, budget) =
        match unsafe { (FilledOperation::write(operation), budget_at(budget)) } {
            (Ok(operation), Ok(budget)) => (operation, budget),
            (Err(code), _) | (_, Err(code)) => return code,
        };
    let Some(outcome) = Outcome::from_number(outcome) else { return BACKOFF_UNKNOWN_OUTCOME };
    let (reason, delay_ns) = match operation.decide(outcome, given(hint_ns), now_ns, budget) {
        Decision::Wait(delay_ns) => (0, delay_ns),
        Decision::Stop { reason, delay_ns } => (reason as u32, delay_ns),
    };
    // SAFETY: not null, and the caller promises a decision there.
    unsafe { decision.write(backoff_decision { reason, reserved: 0, delay_ns }) };
    BACKOFF_OK
}

/// Gives up, at any time (SPEC 13.6). Writes why the operation stopped: BACKOFF_REASON_CANCELLED,
/// or what it was before. `reason` may be NULL. The budget is the one that the operation began
/// with.
///
/// While a wait goes on, the attempt that was waited for counts as one of the attempts, and
/// nothing that was spent on it is given back; a budget of the kind "concurrent" no longer counts
/// it.
///
/// Fails with BACKOFF_NULL_POINTER, or with BACKOFF_UNINITIALIZED if the operation or the budget
/// is.
///
/// # Safety
/// The pointers that are not NULL point to structs of their types and to a word.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_operation_cancel(
    operation: *mut backoff_operation,
    budget: *mut backoff_budget,
    reason: *mut u32,
) -> u32 {
    // SAFETY: the caller's promise is the same.
    match unsafe { (FilledOperation::write(operation), budget_at(budget)) } {
        (Ok(operation), Ok(budget)) => {
            let stopped = operation.cancel(budget);
            if !reason.is_null() {
                // SAFETY: not null, and the caller promises a word there.
                unsafe { reason.write(stopped as u32) };
            }
            BACKOFF_OK
        }
        (Err(code), _) | (_, Err(code)) => code,
    }
}

/// Writes the retries that were answered so far and why the operation stopped, 0 if it goes on.
/// Either output may be NULL. The attempts are retries + 1: that is what backoff_history_record
/// takes.
///
/// Fails with BACKOFF_NULL_POINTER or BACKOFF_UNINITIALIZED.
///
/// # Safety
/// `operation` points to an operation, the outputs that are not NULL to words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_operation_state(
    operation: *const backoff_operation,
    retries: *mut u64,
    reason: *mut u32,
) -> u32 {
    // SAFETY: the caller's promise is the same.
    match unsafe { FilledOperation::read(operation) } {
        Ok(operation) => {
            if !retries.is_null() {
                // SAFETY: not null, and the caller promises a word there.
                unsafe { retries.write(operation.retries()) };
            }
            if !reason.is_null() {
                let stopped = operation.stopped().map_or(0, |reason| reason as u32);
                // SAFETY: not null, and the caller promises a word there.
                unsafe { reason.write(stopped) };
            }
            BACKOFF_OK
        }
        Err(code) => code,
    }
}

/// The name of an outcome, such as "transient": the same in every language. It lives as long as
/// the program, never NULL; a number that is no outcome gives "unknown_outcome".
#[unsafe(no_mangle)]
pub extern "C" fn backoff_outcome_name(outcome: u32) -> *const c_char {
    name_of!(Outcome::ALL, outcome).unwrap_or(c"unknown_outcome".as_ptr())
}

/// The name of a reason, such as "max_retries": the same in every language. It lives as long as
/// the program, never NULL; a number that is no reason gives "unknown_reason".
#[unsafe(no_mangle)]
pub extern "C" fn backoff_reason_name(reason: u32) -> *const c_char {
    name_of!(StopReason::ALL, reason).unwrap_or(c"unknown_reason".as_ptr())
}

/// A deadline or a hint, if there is one.
pub(crate) fn given(ns: u64) -> Option<u64> {
    (ns != BACKOFF_NONE).then_some(ns)
}
