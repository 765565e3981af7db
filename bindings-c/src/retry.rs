use core::ffi::c_void;

use backoff_core::{Budget, Decision, History, Operation, Outcome, Policy, StopReason, Stream};

use crate::budget::{backoff_budget, budget_at};
use crate::code::{BACKOFF_NULL_POINTER, BACKOFF_OK, BACKOFF_UNKNOWN_OUTCOME};
use crate::history::{FilledHistory, backoff_history};
use crate::operation::{BACKOFF_NONE, given};
use crate::policy::{FilledPolicy, backoff_policy};

/// What a loop tells of itself: before each wait and at its end (SPEC 18.4).
///
/// A plain value: copy it freely.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_event {
    /// The calls of `attempt` so far.
    pub attempts: u64,
    /// The wait that follows, in ns; or the one that was not begun, if a limit of time, the
    /// deadline or the budget stopped it.
    pub delay_ns: u64,
    /// The time since the first attempt began, in ns.
    pub elapsed_ns: u64,
    /// The BACKOFF_OUTCOME of the last attempt; 0 if the loop was cancelled.
    pub outcome: u32,
    /// 0: the loop waits. Else the BACKOFF_REASON for which it stopped.
    pub reason: u32,
}

/// What a loop calls, each with the context of the loop. Those that may be NULL are if an
/// initializer leaves them out. Each has to return: no longjmp and no exception may leave one.
///
/// A plain value: copy it freely; any number of loops may use one at once.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_calls {
    /// Makes an attempt and returns its BACKOFF_OUTCOME: BACKOFF_OUTCOME_PERMANENT for any failure
    /// after which it may not be repeated. It may set the hint of the server in ns, which is
    /// BACKOFF_NONE before.
    pub attempt: Option<unsafe extern "C" fn(context: *mut c_void, hint_ns: *mut u64) -> u32>,
    /// Returns the time in ns, on a clock that does not go back; the same clock for all loops and
    /// operations on a budget.
    pub now: Option<unsafe extern "C" fn(context: *mut c_void) -> u64>,
    /// Waits so long and returns 0: never earlier, also if a signal interrupts it. Returns
    /// anything else, at once, to give up.
    pub wait: Option<unsafe extern "C" fn(context: *mut c_void, delay_ns: u64) -> u32>,
    /// Returns 0 to go on, anything else to give up. It is asked before each attempt, after each
    /// that did not succeed, and before each wait. May be NULL.
    pub cancelled: Option<unsafe extern "C" fn(context: *mut c_void) -> u32>,
    /// Told of each wait before it begins. May be NULL.
    pub on_retry: Option<unsafe extern "C" fn(context: *mut c_void, event: *const backoff_event)>,
    /// Told of the end, once, whatever the reason. May be NULL.
    pub on_stop: Option<unsafe extern "C" fn(context: *mut c_void, event: *const backoff_event)>,
}

/// Makes attempts until one succeeds or they are given up, and writes how that ended (SPEC 18).
/// It decides as backoff_operation_decide does, and counts the loop in the history just before
/// `on_stop`.
///
/// The policy is the preset "default" if it is NULL. The deadline is in the clock of `now`, or
/// BACKOFF_NONE; the budget and the history may be NULL. Whoever shares a stream waits the same:
/// give each loop a key of its own (backoff_stream_from_key), or take a stream from
/// backoff_stream_from_entropy.
///
/// Returns BACKOFF_OK if the loop came to an end, whether the last attempt succeeded or not: the
/// reason says which. Fails before any call with BACKOFF_NULL_POINTER, or with
/// BACKOFF_UNINITIALIZED if the policy, the budget or the history is; and with
/// BACKOFF_UNKNOWN_OUTCOME if an attempt returns what is none, which cancels the loop without a
/// further call. Then `end` is as it was.
///
/// # Safety
/// The pointers that are not NULL point to structs of their types, and the calls do what is said
/// of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_retry(
    policy: *const backoff_policy,
    stream: u64,
    deadline_ns: u64,
    budget: *mut backoff_budget,
    history: *mut backoff_history,
    calls: *const backoff_calls,
    context: *mut c_void,
    end: *mut backoff_event,
) -> u32 {
    if end.is_null() {
        return BACKOFF_NULL_POINTER;
    }
    // SAFETY: the caller's promise is the same.
    let ended = unsafe { Loop::new(policy, budget, history, calls, context) }
        .and_then(|made| made.run(Stream::from_seed(stream), given(deadline_ns)));
    match ended {
        Ok(event) => {
            // SAFETY: not null, and the caller promises an event there.
            unsafe { end.write(event) };
            BACKOFF_OK
        }
        Err(code) => code,
    }
}

/// A loop with all that it needs, whose calls may be called with its context.
struct Loop<'a> {
    policy: Policy,
    budget: Option<&'a Budget>,
    history: Option<&'a History>,
    context: *mut c_void,
    calls: backoff_calls,
    attempt: unsafe extern "C" fn(*mut c_void, *mut u64) -> u32,
    now: unsafe extern "C" fn(*mut c_void) -> u64,
    wait: unsafe extern "C" fn(*mut c_void, u64) -> u32,
}

impl Loop<'_> {
    /// # Safety
    /// The pointers are null or point to what their types say, and stay so; the calls may be
    /// called with the context.
    unsafe fn new(
        policy: *const backoff_policy,
        budget: *mut backoff_budget,
        history: *mut backoff_history,
        calls: *const backoff_calls,
        context: *mut c_void,
    ) -> Result<Self, u32> {
        // SAFETY: the caller's promise is the same.
        let calls = *unsafe { calls.as_ref() }.ok_or(BACKOFF_NULL_POINTER)?;
        let (Some(attempt), Some(now), Some(wait)) = (calls.attempt, calls.now, calls.wait) else {
            return Err(BACKOFF_NULL_POINTER);
        };
        let policy = if policy.is_null() {
            Policy::parse("default").map_err(|error| error.code() as u32)?
        } else {
            // SAFETY: the caller's promise is the same.
            *unsafe { FilledPolicy::read(policy) }?
        };
        // SAFETY: the caller's promise is the same.
        let budget = unsafe { budget_at(budget) }?;
        let history = if history.is_null() {
            None
        } else {
            // SAFETY: the caller's promise is the same; a history is changed by shared reference.
            Some(unsafe { FilledHistory::read(history) }?)
        };
        Ok(Self { policy, budget, history, context, calls, attempt, now, wait })
    }

    fn run(&self, stream: Stream, deadline_ns: Option<u64>) -> Result<backoff_event, u32> {
        if self.cancelled() {
            return Ok(self.stop(cancelled(0, 0)));
        }
        let began = self.now();
        let mut operation = Operation::begin(self.policy, stream, began, deadline_ns, self.budget);
        let mut attempts: u64 = 0;
        loop {
            attempts = attempts.saturating_add(1);
            let (number, hint_ns) = self.attempt();
            let Some(outcome) = Outcome::from_number(number) else {
                operation.cancel(self.budget);
                self.record(attempts, StopReason::Cancelled as u32);
                return Err(BACKOFF_UNKNOWN_OUTCOME);
            };
            if outcome != Outcome::Success && self.cancelled() {
                break;
            }
            let now_ns = self.now();
            let (reason, delay_ns) = match operation.decide(outcome, hint_ns, now_ns, self.budget) {
                Decision::Wait(delay_ns) => (0, delay_ns),
                Decision::Stop { reason, delay_ns } => (reason as u32, delay_ns),
            };
            let (outcome, elapsed_ns) = (outcome as u32, now_ns.saturating_sub(began));
            let event = backoff_event { attempts, delay_ns, elapsed_ns, outcome, reason };
            if reason != 0 {
                return Ok(self.stop(event));
            }
            self.tell(self.calls.on_retry, &event);
            if self.cancelled() || self.gives_up_waiting(delay_ns) || self.cancelled() {
                break;
            }
        }
        operation.cancel(self.budget);
        Ok(self.stop(cancelled(attempts, self.now().saturating_sub(began))))
    }

    /// Counts the loop, then tells of its end.
    fn stop(&self, event: backoff_event) -> backoff_event {
        self.record(event.attempts, event.reason);
        self.tell(self.calls.on_stop, &event);
        event
    }

    fn record(&self, attempts: u64, reason: u32) {
        if let (Some(history), Some(reason)) = (self.history, StopReason::from_number(reason)) {
            history.record(attempts, reason);
        }
    }

    fn attempt(&self) -> (u32, Option<u64>) {
        let mut hint_ns = BACKOFF_NONE;
        // SAFETY: by the promise at `new`.
        let outcome = unsafe { (self.attempt)(self.context, &raw mut hint_ns) };
        (outcome, given(hint_ns))
    }

    fn now(&self) -> u64 {
        // SAFETY: by the promise at `new`.
        unsafe { (self.now)(self.context) }
    }

    fn gives_up_waiting(&self, delay_ns: u64) -> bool {
        // SAFETY: by the promise at `new`.
        unsafe { (self.wait)(self.context, delay_ns) != 0 }
    }

    fn cancelled(&self) -> bool {
        // SAFETY: by the promise at `new`.
        self.calls.cancelled.is_some_and(|asked| unsafe { asked(self.context) != 0 })
    }

    fn tell(
        &self,
        hook: Option<unsafe extern "C" fn(*mut c_void, *const backoff_event)>,
        event: &backoff_event,
    ) {
        if let Some(hook) = hook {
            // SAFETY: by the promise at `new`.
            unsafe { hook(self.context, event) }
        }
    }
}

/// The end of a loop that was given up.
fn cancelled(attempts: u64, elapsed_ns: u64) -> backoff_event {
    let reason = StopReason::Cancelled as u32;
    backoff_event { attempts, delay_ns: 0, elapsed_ns, outcome: 0, reason }
}
