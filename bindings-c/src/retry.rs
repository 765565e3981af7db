//! `backoff_retry`: the loop, which calls functions of the caller (SPEC 18).

use core::ffi::c_void;

use backoff_core::ffi::{self, Progress, outcome_from_number, reason_from_number};
use backoff_core::{Budget, Outcome, Policy, RandomStream, RetryStats, StopReason};

use crate::budget::{BudgetHandle, backoff_budget, wait_until_free};
use crate::code::{
    BACKOFF_ERROR_DAMAGED, BACKOFF_ERROR_NULL_POINTER, BACKOFF_ERROR_UNKNOWN_OUTCOME, backoff_code,
};
use crate::exported::{exported, require_zeros, required};
use crate::operation::{BACKOFF_NO_TIME, backoff_decision, optional_ns};
use crate::outcome::{backoff_outcome, backoff_reason};
use crate::policy::{backoff_policy, policy_at};
use crate::stats::{StatsHandle, backoff_stats};

/// The state of a loop before a wait, or at its end (SPEC 18.4).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_loop_event {
    /// The number of calls of `attempt` so far.
    pub attempts: u64,
    /// The wait that follows, in ns. If max_elapsed, the deadline or the budget stopped the loop:
    /// the wait that would have followed. 0 for the other reasons.
    pub delay_ns: u64,
    /// The time since the first attempt began, in ns.
    pub elapsed_ns: u64,
    /// The outcome of the last attempt; BACKOFF_OUTCOME_NONE if the loop was cancelled.
    pub outcome: backoff_outcome,
    /// BACKOFF_REASON_NONE before a wait. At the end: why the loop stopped.
    pub reason: backoff_reason,
    /// Written as 0.
    pub reserved: [u64; 4],
}

/// What an attempt may know.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_loop_attempt_info {
    /// The number of the attempt: 1, 2, ...
    pub number: u64,
    /// The time in ns until attempt_timeout, max_elapsed or the deadline ends, whichever is first: 0 if that
    /// is now or was before. BACKOFF_NO_TIME if there is no such end.
    pub time_left_ns: u64,
    /// The outcome of the attempt before; BACKOFF_OUTCOME_NONE at the first one.
    pub last_outcome: backoff_outcome,
    /// Written as 0.
    pub reserved32: u32,
    /// Written as 0.
    pub reserved: [u64; 4],
}

/// A loop: the functions that it calls, each with the context of backoff_retry, and its limits. An
/// initializer that leaves out an optional member sets it to NULL or 0.
///
/// Every function must return: it must not leave by longjmp, by an exception, or by the end of its
/// thread (pthread_cancel, pthread_exit). Otherwise the loop is never ended, and a budget of the
/// kind "concurrent" counts it as active for ever.
///
/// A plain value: copy it freely. Any number of loops may use one struct at once.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_loop {
    /// Makes an attempt and returns its BACKOFF_OUTCOME, never 0: a success is
    /// BACKOFF_OUTCOME_SUCCESS. BACKOFF_OUTCOME_PERMANENT is for every failure that must not be
    /// repeated. It may set the time that the server asked to wait, in ns; on entry it is
    /// BACKOFF_NO_TIME.
    pub attempt: Option<
        unsafe extern "C" fn(context: *mut c_void, retry_after_ns: *mut u64) -> backoff_outcome,
    >,
    /// Returns the time in ns, from a clock that never goes back. All loops and operations on one
    /// budget use the same clock.
    pub now: Option<unsafe extern "C" fn(context: *mut c_void) -> u64>,
    /// Waits for at least this long, even if a signal interrupts it, and returns 0. Returns any
    /// other value, at once, to cancel the loop.
    pub wait: Option<unsafe extern "C" fn(context: *mut c_void, delay_ns: u64) -> u32>,
    /// Returns 0 to continue, any other value to cancel the loop. The loop calls it before each
    /// attempt, after each failed attempt, and before each wait. Optional.
    pub cancelled: Option<unsafe extern "C" fn(context: *mut c_void) -> u32>,
    /// Called before each wait. `cancelled` may still prevent that wait. Optional.
    pub on_retry:
        Option<unsafe extern "C" fn(context: *mut c_void, event: *const backoff_loop_event)>,
    /// Called once, at the end of the loop, whatever the reason. Not called if backoff_retry fails.
    /// Optional.
    pub on_stop:
        Option<unsafe extern "C" fn(context: *mut c_void, event: *const backoff_loop_event)>,
    /// NULL: the preset "default".
    pub policy: *const backoff_policy,
    /// Limits the retries of all loops that share it. Optional.
    pub budget: *mut backoff_budget,
    /// Counts the loop just before `on_stop`. Optional.
    pub stats: *mut backoff_stats,
    /// No wait ends later than this time of `now`; the first attempt is always made. 0 or
    /// BACKOFF_NO_TIME: no deadline. (To backoff_operation_begin, 0 is a deadline that has passed.)
    pub deadline_ns: u64,
    /// Like `attempt`, in place of it, with what the attempt may know. The loop cannot interrupt an attempt:
    /// the function keeps to `time_left_ns`, and returns BACKOFF_OUTCOME_TIMEOUT if that was not enough.
    /// Optional; `attempt` is then not called and may be NULL.
    pub attempt_with: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            attempt: *const backoff_loop_attempt_info,
            retry_after_ns: *mut u64,
        ) -> backoff_outcome,
    >,
    /// Returns the delay in ns before a retry, in place of the one that the policy computes; or
    /// BACKOFF_NO_TIME for that of the policy. `index` is the number of the retries so far, or since the
    /// count began anew (reset_after), and less than max_retries; `outcome` is that of the last attempt.
    /// Jitter, cap and floor do not change the delay; a Retry-After, the limits and the budget count as
    /// always. Optional.
    pub delay: Option<
        unsafe extern "C" fn(context: *mut c_void, index: u64, outcome: backoff_outcome) -> u64,
    >,
    /// For functions and limits of later versions: 0.
    pub reserved: [u64; 4],
}

/// Makes attempts until one succeeds or the loop has to stop, and writes how it ended (SPEC 18). It
/// decides as backoff_operation_decide does.
///
/// Loops with the same policy and stream have the same delays: give each loop its own key
/// (backoff_stream_from_key), or use a stream of backoff_stream_from_entropy. If the policy has
/// neither a wait nor a limit, as the preset "immediate", the loop calls `attempt` again at once
/// until the deadline, the budget or a cancellation stops it.
///
/// Returns BACKOFF_OK if the loop ended, whether the last attempt succeeded or not: the reason in
/// `end` says which. Fails before the first call with BACKOFF_ERROR_UNSUPPORTED, or with what holds
/// for the pointers of `loop`. Fails with BACKOFF_ERROR_UNKNOWN_OUTCOME after an attempt that
/// returns a number that is not an outcome, such as 0, and with BACKOFF_ERROR_DAMAGED if the budget
/// is damaged during the loop, even if the last attempt succeeded. The loop then calls no further
/// function, and `stats` counts it as cancelled.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_retry(
    r#loop: *const backoff_loop,
    stream: u64,
    context: *mut c_void,
    end: *mut backoff_loop_event,
) -> backoff_code {
    exported!({
        let end = required(end)?;
        let r#loop = *r#loop.as_ref().ok_or(BACKOFF_ERROR_NULL_POINTER)?;
        require_zeros(&r#loop.reserved)?;
        let callbacks = Callbacks::new(r#loop, context)?;
        let policy = *policy_at(r#loop.policy)?;
        let budget = BudgetHandle::get_optional(r#loop.budget)?;
        let stats = StatsHandle::get_optional(r#loop.stats)?;
        let deadline_ns = optional_ns(r#loop.deadline_ns).filter(|&deadline_ns| deadline_ns > 0);
        let made = Loop { policy, budget, memory: r#loop.budget, stats, callbacks };
        end.write(made.run(RandomStream::from_seed(stream), deadline_ns)?);
        Ok(())
    })
}

/// The functions of a caller, with their context. They are called only through the methods.
struct Callbacks {
    context: *mut c_void,
    attempt: Attempt,
    delay: Option<unsafe extern "C" fn(*mut c_void, u64, u32) -> u64>,
    now: unsafe extern "C" fn(*mut c_void) -> u64,
    wait: unsafe extern "C" fn(*mut c_void, u64) -> u32,
    cancelled: Option<unsafe extern "C" fn(*mut c_void) -> u32>,
    on_retry: Hook,
    on_stop: Hook,
}

/// The function that makes an attempt, in either form.
enum Attempt {
    Alone(unsafe extern "C" fn(*mut c_void, *mut u64) -> u32),
    With(unsafe extern "C" fn(*mut c_void, *const backoff_loop_attempt_info, *mut u64) -> u32),
}

type Hook = Option<unsafe extern "C" fn(*mut c_void, *const backoff_loop_event)>;

impl Callbacks {
    /// # Safety
    /// As long as the value lives, the functions may be called with the context.
    unsafe fn new(functions: backoff_loop, context: *mut c_void) -> Result<Self, u32> {
        let backoff_loop { attempt, now, wait, cancelled, on_retry, on_stop, delay, .. } =
            functions;
        let with = functions.attempt_with.map(Attempt::With);
        let attempt = with.or(attempt.map(Attempt::Alone));
        let (Some(attempt), Some(now), Some(wait)) = (attempt, now, wait) else {
            return Err(BACKOFF_ERROR_NULL_POINTER);
        };
        Ok(Self { context, attempt, delay, now, wait, cancelled, on_retry, on_stop })
    }

    /// The outcome of an attempt, and the time that the server asked to wait.
    fn attempt(&self, known: impl FnOnce() -> backoff_loop_attempt_info) -> (u32, Option<u64>) {
        let mut retry_after_ns = BACKOFF_NO_TIME;
        let output = &raw mut retry_after_ns;
        let outcome = match self.attempt {
            // SAFETY: `new` requires that the function may be called; the output is ours.
            Attempt::Alone(attempt) => unsafe { attempt(self.context, output) },
            // SAFETY: as before; what is known outlives the call.
            Attempt::With(attempt) => unsafe { attempt(self.context, &known(), output) },
        };
        (outcome, optional_ns(retry_after_ns))
    }

    /// The delay of the caller for this index, if there is one.
    fn delay(&self, index: u64, outcome: Outcome) -> Option<u64> {
        // SAFETY: `new` requires that the function may be called.
        optional_ns(unsafe { self.delay?(self.context, index, outcome as u32) })
    }

    fn now(&self) -> u64 {
        // SAFETY: `new` requires that the function may be called.
        unsafe { (self.now)(self.context) }
    }

    /// Whether the wait was cancelled.
    fn wait(&self, delay_ns: u64) -> bool {
        // SAFETY: `new` requires that the function may be called.
        unsafe { (self.wait)(self.context, delay_ns) != 0 }
    }

    fn cancelled(&self) -> bool {
        // SAFETY: `new` requires that the function may be called.
        self.cancelled.is_some_and(|cancelled| unsafe { cancelled(self.context) != 0 })
    }

    fn call(&self, hook: Hook, event: &backoff_loop_event) {
        if let Some(hook) = hook {
            // SAFETY: `new` requires that the hooks may be called; the event outlives the call.
            unsafe { hook(self.context, event) }
        }
    }
}

struct Loop<'a> {
    policy: Policy,
    budget: Option<&'a Budget>,
    /// The struct of C that has the budget.
    memory: *const backoff_budget,
    stats: Option<&'a RetryStats>,
    callbacks: Callbacks,
}

impl Loop<'_> {
    fn run(
        &self,
        stream: RandomStream,
        deadline_ns: Option<u64>,
    ) -> Result<backoff_loop_event, u32> {
        let Self { callbacks, budget, .. } = self;
        self.wait_until_free()?;
        if callbacks.cancelled() {
            return Ok(self.stop(cancelled(0, 0)));
        }
        let began = callbacks.now();
        self.wait_until_free()?;
        let policy = ffi::schedule(&self.policy);
        let mut operation = Progress::begin(stream, began, deadline_ns, *budget);
        let (mut attempts, mut last_outcome): (u64, _) = (0, 0);
        loop {
            attempts = attempts.saturating_add(1);
            let (number, retry_after_ns) = callbacks.attempt(|| {
                let left = operation.time_left_ns(policy, callbacks.now());
                let (time_left_ns, reserved) = (left.unwrap_or(BACKOFF_NO_TIME), [0; 4]);
                let reserved32 = 0;
                backoff_loop_attempt_info {
                    number: attempts,
                    time_left_ns,
                    last_outcome,
                    reserved32,
                    reserved,
                }
            });
            let Some(outcome) = outcome_from_number(number) else {
                let _ = self.wait_until_free();
                operation.cancel(*budget);
                return Err(self.fail(attempts, BACKOFF_ERROR_UNKNOWN_OUTCOME));
            };
            if outcome != Outcome::Success && callbacks.cancelled() {
                break;
            }
            let now_ns = callbacks.now();
            let is_asked = callbacks.delay.is_some()
                && !matches!(outcome, Outcome::Success | Outcome::Permanent);
            let index = is_asked.then(|| operation.retry_index(policy, now_ns));
            let index = index.filter(|&index| index < self.policy.max_retries());
            let own = index.and_then(|index| callbacks.delay(index, outcome));
            self.wait_until_free().map_err(|code| self.fail(attempts, code))?;
            let budget = *budget;
            let decision =
                operation.decide_with_delay(policy, outcome, retry_after_ns, own, now_ns, budget);
            let backoff_decision { reason, delay_ns, .. } = decision.into();
            let (outcome, elapsed_ns) = (outcome as u32, now_ns.saturating_sub(began));
            let reserved = [0; 4];
            let event =
                backoff_loop_event { attempts, delay_ns, elapsed_ns, outcome, reason, reserved };
            if reason != 0 {
                return Ok(self.stop(event));
            }
            last_outcome = event.outcome;
            callbacks.call(callbacks.on_retry, &event);
            if callbacks.cancelled() || callbacks.wait(delay_ns) || callbacks.cancelled() {
                break;
            }
        }
        self.wait_until_free().map_err(|code| self.fail(attempts, code))?;
        operation.cancel(*budget);
        Ok(self.stop(cancelled(attempts, callbacks.now().saturating_sub(began))))
    }

    /// Waits until no other thread updates the budget. A function of the caller may have overwritten it.
    fn wait_until_free(&self) -> Result<(), u32> {
        // SAFETY: `memory` is null, or the caller keeps the struct as long as the loop runs.
        let budget = unsafe { BudgetHandle::get_optional(self.memory) };
        wait_until_free(budget.map_err(|_| BACKOFF_ERROR_DAMAGED)?)
    }

    /// Counts the loop, then calls the hook.
    fn stop(&self, event: backoff_loop_event) -> backoff_loop_event {
        self.record(event.attempts, event.reason);
        self.callbacks.call(self.callbacks.on_stop, &event);
        event
    }

    /// Counts the loop, which returns the code.
    fn fail(&self, attempts: u64, code: u32) -> u32 {
        self.record(attempts, StopReason::Cancelled as u32);
        code
    }

    fn record(&self, attempts: u64, reason: u32) {
        if let (Some(stats), Some(reason)) = (self.stats, reason_from_number(reason)) {
            stats.record(attempts, reason);
        }
    }
}

/// The last event of a cancelled loop.
fn cancelled(attempts: u64, elapsed_ns: u64) -> backoff_loop_event {
    let reason = StopReason::Cancelled as u32;
    backoff_loop_event { attempts, delay_ns: 0, elapsed_ns, outcome: 0, reason, reserved: [0; 4] }
}
