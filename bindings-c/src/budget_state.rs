//! `backoff_budget_state`: the state of a budget as a value, which a store can keep (SPEC 15.5, 15.6).

use core::ffi::c_char;

use backoff_core::ffi::{BUDGET_EVENTS, budget_event, outcome_from_number};
use backoff_core::{BudgetState, Outcome};

use crate::budget::{backoff_budget, free_budget};
use crate::code::{
    BACKOFF_ERROR_NOT_A_STATE, BACKOFF_ERROR_UNKNOWN_EVENT, BACKOFF_ERROR_UNKNOWN_OUTCOME,
    backoff_code,
};
use crate::exported::{exported, require_zeros, required, write_optional};
use crate::field::position;
use crate::handle::Tagged;
use crate::outcome::backoff_outcome;
use crate::text::{Output, bytes_at, name_of, write_text};

/// The kind of an event. 0 is none.
pub type backoff_budget_event_kind = u32;

/// An operation begins.
pub const BACKOFF_BUDGET_EVENT_OPERATION_BEGAN: u32 = 1;
/// An attempt is over. Uses `held`.
pub const BACKOFF_BUDGET_EVENT_ATTEMPT_OVER: u32 = 2;
/// An attempt has failed, and the failure is not permanent.
pub const BACKOFF_BUDGET_EVENT_ATTEMPT_FAILED: u32 = 3;
/// A retry is requested: the only event that the budget answers. Uses `outcome`.
pub const BACKOFF_BUDGET_EVENT_RETRY_REQUESTED: u32 = 4;
/// An operation has succeeded. Uses `held`.
pub const BACKOFF_BUDGET_EVENT_OPERATION_SUCCEEDED: u32 = 5;
/// An operation has ended, for whatever reason.
pub const BACKOFF_BUDGET_EVENT_OPERATION_ENDED: u32 = 6;

/// The state of a budget as a value (SPEC 15.5). A store that compares and swaps, such as Redis, a
/// database or shared memory, can keep its text, and all processes that use the store then share
/// one budget.
///
/// Copy it freely. Not thread-safe.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub struct backoff_budget_state {
    opaque: [u64; 32],
}

type StateHandle = Tagged<BudgetState, { u64::from_le_bytes(*b"state--1") }>;

/// What happens to the account of a budget (SPEC 15.6). An operation that is run by hand reports
/// events in the order of SPEC 13.4.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_budget_event {
    /// What happens.
    pub event: backoff_budget_event_kind,
    /// The outcome of the attempt that would be retried, for BACKOFF_BUDGET_EVENT_RETRY_REQUESTED;
    /// ignored otherwise.
    pub outcome: backoff_outcome,
    /// The tokens or slots that the operation holds: the `held` of its last granted retry, or 0.
    /// Ignored for events that do not use it.
    pub held: u64,
    /// For later versions: 0.
    pub reserved: [u64; 2],
}

/// The answer of a budget to BACKOFF_BUDGET_EVENT_RETRY_REQUESTED.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_budget_answer {
    /// 1 if a retry was requested and is granted, otherwise 0.
    pub granted: u32,
    /// 1 if the state changed, otherwise 0: there is nothing to store.
    pub changed: u32,
    /// The tokens or slots that the operation holds after a granted retry, otherwise 0.
    pub held: u64,
    /// Written as 0.
    pub reserved: [u64; 2],
}

/// Writes the state of a full budget with the configuration of `budget`.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_budget_state_full(
    state: *mut backoff_budget_state,
    budget: *const backoff_budget,
) -> backoff_code {
    exported!({
        let state = required(state)?;
        let budget = free_budget(budget)?;
        StateHandle::init(state, BudgetState::full(budget));
        Ok(())
    })
}

/// Reads the text of a state of `length` bytes as backoff_budget_state_print writes it for a budget
/// with the configuration of `budget`.
///
/// Fails with BACKOFF_ERROR_NOT_A_STATE if the text is any other.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_budget_state_parse(
    state: *mut backoff_budget_state,
    budget: *const backoff_budget,
    text: *const c_char,
    length: u64,
) -> backoff_code {
    exported!({
        let state = required(state)?;
        let budget = free_budget(budget)?;
        let parsed = BudgetState::parse(budget, bytes_at(text, length)?);
        StateHandle::init(state, parsed.ok_or(BACKOFF_ERROR_NOT_A_STATE)?);
        Ok(())
    })
}

/// Writes the text of a state, for which BACKOFF_TEXT_SIZE is always enough.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_budget_state_print(
    state: *const backoff_budget_state,
    buffer: *mut c_char,
    size: u64,
    length: *mut u64,
) -> backoff_code {
    exported!({
        let text = StateHandle::get(state).map(BudgetState::text);
        write_text(&text, Output { buffer, size, length })
    })
}

/// Changes a state by an event at the time `now_ns` of one clock, such as that of the store, and
/// writes whether the retry is granted (SPEC 15.6). `answer` may be NULL.
///
/// Fails with BACKOFF_ERROR_UNKNOWN_EVENT, BACKOFF_ERROR_UNKNOWN_OUTCOME if the event uses the
/// outcome, or BACKOFF_ERROR_UNSUPPORTED.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_budget_state_step(
    state: *mut backoff_budget_state,
    event: *const backoff_budget_event,
    now_ns: u64,
    answer: *mut backoff_budget_answer,
) -> backoff_code {
    exported!({
        let event = *required(event.cast_mut())?.as_ref();
        require_zeros(&event.reserved)?;
        let state = StateHandle::get_mut(state)?;
        let outcome = match event.event {
            BACKOFF_BUDGET_EVENT_RETRY_REQUESTED => {
                outcome_from_number(event.outcome).ok_or(BACKOFF_ERROR_UNKNOWN_OUTCOME)?
            }
            _ => Outcome::Transient,
        };
        let event =
            budget_event(event.event, outcome, event.held).ok_or(BACKOFF_ERROR_UNKNOWN_EVENT)?;
        let (after, held) = state.step(event, now_ns);
        let changed = u32::from(after != *state);
        *state = after;
        let granted = u32::from(held.is_some());
        let held = held.unwrap_or(0);
        write_optional(answer, backoff_budget_answer { granted, changed, held, reserved: [0; 2] });
        Ok(())
    })
}

/// Returns the name of an event, such as "retry_requested": the same name in every language. The
/// string is static and never NULL; an unknown number returns "unknown_event".
#[unsafe(no_mangle)]
pub extern "C" fn backoff_budget_event_name(event: backoff_budget_event_kind) -> *const c_char {
    name_of!(BUDGET_EVENTS, name => name, position(event, BACKOFF_BUDGET_EVENT_OPERATION_BEGAN))
        .unwrap_or(c"unknown_event".as_ptr())
}
