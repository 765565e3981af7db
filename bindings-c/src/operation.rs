//! `backoff_operation`: decides after each attempt whether to wait or to stop (SPEC 13).

use backoff_core::ffi::outcome_from_number;
use backoff_core::{Budget, Decision, Operation, RandomStream, StopReason};

use crate::budget::{BudgetHandle, backoff_budget, wait_until_free};
use crate::code::{BACKOFF_ERROR_UNKNOWN_OUTCOME, BACKOFF_ERROR_WRONG_BUDGET, backoff_code};
use crate::exported::{exported, required, write_optional};
use crate::handle::Tagged;
use crate::outcome::{backoff_outcome, backoff_reason};
use crate::policy::{backoff_policy, policy_at};

/// No deadline, or no Retry-After. (For a Retry-After that is this long, pass BACKOFF_MAX_NS.)
pub const BACKOFF_NO_TIME: u64 = 18446744073709551615u64;

/// A call that is attempted until it succeeds or has to stop. After each attempt the operation
/// decides whether to stop or how long to wait, from the outcome, the policy's limits, the deadline
/// and the budget (SPEC 13). It neither sleeps nor reads a clock.
///
/// Times are nanoseconds of a clock that never goes back, which the caller reads. All operations on
/// one budget use the same clock.
///
/// Not thread-safe. Do not use a copy together with its original: both would return the same retry
/// to the budget.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub struct backoff_operation {
    opaque: [u64; 64],
}

type OperationHandle = Tagged<Begun, { u64::from_le_bytes(*b"operate1") }>;

/// An operation, and whether it spends from a budget, which later calls pass again.
#[repr(C)]
struct Begun {
    operation: Operation,
    has_budget: u64,
}

/// The operation of a call, if it began with a budget as the call has one, or without as the call.
///
/// # Safety
/// As for `Tagged::get_mut`.
unsafe fn begun<'a>(
    operation: *mut backoff_operation,
    budget: *mut backoff_budget,
) -> Result<&'a mut Operation, u32> {
    // SAFETY: the caller promises the pointer.
    let begun = unsafe { OperationHandle::get_mut(operation) }?;
    let is_same = (begun.has_budget != 0) != budget.is_null();
    is_same.then_some(&mut begun.operation).ok_or(BACKOFF_ERROR_WRONG_BUDGET)
}

/// The budget of a call, which no thread is updating.
///
/// # Safety
/// As for `Tagged::get_optional`.
unsafe fn usable<'a>(budget: *mut backoff_budget) -> Result<Option<&'a Budget>, u32> {
    // SAFETY: the caller promises the pointer.
    let budget = unsafe { BudgetHandle::get_optional(budget) }?;
    wait_until_free(budget).map(|()| budget)
}

/// Ends an operation, and writes why it stopped. A budget that cannot be used does not keep it from
/// stopping.
///
/// # Safety
/// As for `begun` and `usable`; `reason` is null or valid for a write.
unsafe fn end(
    operation: *mut backoff_operation,
    budget: *mut backoff_budget,
    reason: *mut backoff_reason,
    end: fn(&mut Operation, Option<&Budget>) -> StopReason,
) -> Result<(), u32> {
    // SAFETY: the caller promises the pointers.
    unsafe {
        let operation = begun(operation, budget)?;
        let budget = usable(budget);
        let stopped = end(operation, budget.unwrap_or(None));
        budget?;
        write_optional(reason, stopped as u32);
    }
    Ok(())
}

/// The decision after an attempt.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_decision {
    /// BACKOFF_REASON_NONE: wait, then attempt again. Otherwise stop, for this reason.
    pub reason: backoff_reason,
    /// Written as 0.
    pub reserved32: u32,
    /// The time to wait, in ns. If max_elapsed, the deadline or the budget stopped the operation:
    /// the wait that would have followed. 0 for the other reasons.
    pub delay_ns: u64,
    /// Written as 0.
    pub reserved: [u64; 2],
}

/// Begins an operation at the time `now_ns`. No wait may end later than `deadline_ns`, a time of
/// the same clock; BACKOFF_NO_TIME is no deadline. A deadline that has passed, such as 0, prevents
/// retries, not the first attempt. (To backoff_loop, 0 is no deadline.) The operation's retries
/// spend from `budget`, which may be NULL. The policy is copied, but the budget is not stored: pass
/// the same pointer (or NULL, as here) to every later call. Passing a different budget is not
/// detected and corrupts both.
///
/// Callers that share a stream wait for the same times. Give each operation its own key
/// (backoff_stream_from_key), or use a stream of backoff_stream_from_entropy.
///
/// Finish every operation: report its final outcome, success included, or cancel it with
/// backoff_operation_cancel. A budget of the kind "concurrent" counts the operation until then.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_operation_begin(
    operation: *mut backoff_operation,
    policy: *const backoff_policy,
    stream: u64,
    now_ns: u64,
    deadline_ns: u64,
    budget: *mut backoff_budget,
) -> backoff_code {
    exported!({
        let operation = required(operation)?;
        let policy = *policy_at(policy)?;
        let budget = usable(budget)?;
        let (stream, deadline) = (RandomStream::from_seed(stream), optional_ns(deadline_ns));
        let begun = Operation::begin(policy, stream, now_ns, deadline, budget);
        let has_budget = budget.is_some().into();
        OperationHandle::init(operation, Begun { operation: begun, has_budget });
        Ok(())
    })
}

/// Makes an operation as it stands after `retries` waits, of which a queue stored only the number,
/// the start `began_ns` and the deadline (SPEC 13.7). It spends from no budget: pass NULL to every
/// later call. Its stream, times and deadline are those of backoff_operation_begin.
///
/// Store `retries` as backoff_operation_state writes it after a decision, and times of a clock that a restart
/// does not set back, such as nanoseconds since 1970. `began_ns` is the start of the first attempt. If the
/// policy has elapsed_from=failure and `retries` is above 0, it is the time of the first failure.
///
/// Nobody knows how long the attempt runs that is under way when the operation resumes, so it does not begin
/// the count anew (reset_after). If you know that it ran at least as long as that, resume with 0 retries and
/// its end as `began_ns`.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_operation_resume(
    operation: *mut backoff_operation,
    policy: *const backoff_policy,
    stream: u64,
    retries: u64,
    began_ns: u64,
    deadline_ns: u64,
) -> backoff_code {
    exported!({
        let operation = required(operation)?;
        let policy = *policy_at(policy)?;
        let (stream, deadline) = (RandomStream::from_seed(stream), optional_ns(deadline_ns));
        let resumed = Operation::resume(policy, stream, retries, began_ns, deadline);
        OperationHandle::init(operation, Begun { operation: resumed, has_budget: 0 });
        Ok(())
    })
}

/// Writes the decision after an attempt that ended with `outcome` at the time `now_ns` (SPEC 13.4).
/// `retry_after_ns` is the wait that the server asked for, as backoff_parse_retry_after writes it,
/// or BACKOFF_NO_TIME. `budget` is the one that was passed to backoff_operation_begin. If the
/// operation has already stopped, writes the same reason again with a delay of 0, and changes nothing.
///
/// Fails with BACKOFF_ERROR_UNKNOWN_OUTCOME, or with BACKOFF_ERROR_WRONG_BUDGET if `budget` is NULL
/// and that of backoff_operation_begin was not, or the reverse.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_operation_decide(
    operation: *mut backoff_operation,
    outcome: backoff_outcome,
    retry_after_ns: u64,
    now_ns: u64,
    budget: *mut backoff_budget,
    decision: *mut backoff_decision,
) -> backoff_code {
    exported!({
        let decision = required(decision)?;
        let outcome = outcome_from_number(outcome).ok_or(BACKOFF_ERROR_UNKNOWN_OUTCOME);
        let operation = begun(operation, budget)?;
        let budget = usable(budget)?;
        let outcome = outcome?;
        let decided = operation.decide(outcome, optional_ns(retry_after_ns), now_ns, budget);
        decision.write(decided.into());
        Ok(())
    })
}

/// As backoff_operation_decide, with the delay `delay_ns` in place of the one that the policy
/// computes (SPEC 13.9). Its jitter, cap and floor do not change this delay; its limits, its
/// treatment of a Retry-After and the budget count as always. At most BACKOFF_MAX_NS counts.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_operation_decide_with_delay(
    operation: *mut backoff_operation,
    outcome: backoff_outcome,
    delay_ns: u64,
    retry_after_ns: u64,
    now_ns: u64,
    budget: *mut backoff_budget,
    decision: *mut backoff_decision,
) -> backoff_code {
    exported!({
        let decision = required(decision)?;
        let outcome = outcome_from_number(outcome).ok_or(BACKOFF_ERROR_UNKNOWN_OUTCOME);
        let operation = begun(operation, budget)?;
        let budget = usable(budget)?;
        let (outcome, retry_after) = (outcome?, optional_ns(retry_after_ns));
        let decided = operation.decide_with_delay(outcome, retry_after, delay_ns, now_ns, budget);
        decision.write(decided.into());
        Ok(())
    })
}

/// Writes how long an attempt that begins at `now_ns` may take: attempt_timeout, or what is left until
/// max_elapsed or the deadline ends, if that is less (SPEC 13.10); an end that has passed does not count.
/// Without an attempt_timeout it is BACKOFF_NO_TIME, even with a max_elapsed or a deadline. What is left
/// until those, backoff_operation_time_left writes also without an attempt_timeout. An attempt that takes
/// longer has the outcome BACKOFF_OUTCOME_TIMEOUT.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_operation_attempt_limit(
    operation: *const backoff_operation,
    now_ns: u64,
    limit_ns: *mut u64,
) -> backoff_code {
    exported!({
        let limit_ns = required(limit_ns)?;
        let operation = &OperationHandle::get(operation)?.operation;
        limit_ns.write(operation.attempt_limit_ns(now_ns).unwrap_or(BACKOFF_NO_TIME));
        Ok(())
    })
}

/// Writes how long an attempt that begins at `now_ns` has until attempt_timeout, max_elapsed or the
/// deadline ends, whichever is first: 0 if that is now or was before (SPEC 13.11). BACKOFF_NO_TIME if there
/// is no such end.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_operation_time_left(
    operation: *const backoff_operation,
    now_ns: u64,
    left_ns: *mut u64,
) -> backoff_code {
    exported!({
        let left_ns = required(left_ns)?;
        let operation = &OperationHandle::get(operation)?.operation;
        left_ns.write(operation.time_left_ns(now_ns).unwrap_or(BACKOFF_NO_TIME));
        Ok(())
    })
}

/// Writes the index of the delay that would follow if the current attempt failed at `now_ns`: the number of
/// retries that backoff_operation_state writes, or 0 if the attempt ran at least as long as reset_after.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_operation_retry_index(
    operation: *const backoff_operation,
    now_ns: u64,
    index: *mut u64,
) -> backoff_code {
    exported!({
        let index = required(index)?;
        index.write(OperationHandle::get(operation)?.operation.retry_index(now_ns));
        Ok(())
    })
}

impl From<Decision> for backoff_decision {
    fn from(decision: Decision) -> Self {
        let reason = decision.stop_reason().map_or(0, |reason| reason as u32);
        Self { reason, reserved32: 0, delay_ns: decision.delay_ns(), reserved: [0; 2] }
    }
}

/// Refuses the retry that the latest decision granted, for a budget that the caller keeps
/// elsewhere, such as a backoff_budget_state in a store (SPEC 13.8). The retry does not count; what
/// it cost in a budget of the operation stays spent.
/// Writes the reason for which the operation stopped: BACKOFF_REASON_BUDGET, or an earlier reason
/// if it had already stopped. `reason` may be NULL. `budget` is the one that was passed to
/// backoff_operation_begin.
///
/// Fails with BACKOFF_ERROR_WRONG_BUDGET. If the budget cannot be used
/// (BACKOFF_ERROR_UNINITIALIZED, BACKOFF_ERROR_DAMAGED), the operation stops nevertheless.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_operation_refuse_retry(
    operation: *mut backoff_operation,
    budget: *mut backoff_budget,
    reason: *mut backoff_reason,
) -> backoff_code {
    exported!({ end(operation, budget, reason, Operation::refuse_retry) })
}

/// Cancels an operation, at any time (SPEC 13.6). Writes the reason for which it stopped:
/// BACKOFF_REASON_CANCELLED, or an earlier reason if it had already stopped. `reason` may be NULL.
/// `budget` is the one that was passed to backoff_operation_begin.
///
/// During a wait, the attempt that would follow counts as an attempt. Budget tokens spent on it are
/// not refunded; a budget of the kind "concurrent" stops counting it.
///
/// Fails with BACKOFF_ERROR_WRONG_BUDGET. If the budget cannot be used
/// (BACKOFF_ERROR_UNINITIALIZED, BACKOFF_ERROR_DAMAGED), the operation stops nevertheless.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_operation_cancel(
    operation: *mut backoff_operation,
    budget: *mut backoff_budget,
    reason: *mut backoff_reason,
) -> backoff_code {
    exported!({ end(operation, budget, reason, Operation::cancel) })
}

/// Writes the number of retries granted so far, the number of attempts (retries + 1), and the
/// reason for which the operation stopped, or 0 if it has not stopped. Any output may be NULL.
///
/// After an attempt that ran at least as long as reset_after, the count begins anew: both numbers are then
/// those since that attempt, which counts as the first (SPEC 13.4). From the start of a wait, the attempts
/// include the one that follows the wait. If the operation is cancelled during the wait, that attempt is
/// never made but stays counted, so the number is one more than the calls. backoff_retry counts its calls,
/// all of them. For the same numbers in your own loop, count the calls and pass that count to
/// backoff_stats_record.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_operation_state(
    operation: *const backoff_operation,
    retries: *mut u64,
    attempts: *mut u64,
    reason: *mut backoff_reason,
) -> backoff_code {
    exported!({
        let operation = &OperationHandle::get(operation)?.operation;
        write_optional(retries, operation.retries());
        write_optional(attempts, operation.attempts());
        write_optional(reason, operation.reason().map_or(0, |reason| reason as u32));
        Ok(())
    })
}

/// A deadline or a Retry-After, which C may leave out.
pub(crate) fn optional_ns(ns: u64) -> Option<u64> {
    (ns != BACKOFF_NO_TIME).then_some(ns)
}
