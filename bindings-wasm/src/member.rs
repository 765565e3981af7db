//! Members of shared budgets. JavaScript keeps one as the bytes that are here while it is the current one.

use std::cell::RefCell;

use backoff_core::{
    Budget, BudgetEvent, BudgetMember, Fallback, MemberAnswer, Outcome, SteppedState, ffi,
};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::budget::with_account;
use crate::buffer::{Buffers, with_buffers};

thread_local! {
    static CURRENT: RefCell<Option<BudgetMember>> = const { RefCell::new(None) };
}

/// The address of the current member.
#[wasm_bindgen]
pub fn member() -> usize {
    CURRENT.try_with(|current| current.as_ptr().addr()).unwrap_or_default()
}

/// The number of bytes of a member.
#[wasm_bindgen]
pub fn member_size() -> usize {
    size_of::<Option<BudgetMember>>()
}

/// Begins a member of the current budget. While the store is away, the budget of the string in the first `length`
/// bytes decides.
#[wasm_bindgen]
pub fn member_begin(length: usize, lease: u32, fallback: u64, timeout: u64, seed: u64) {
    with_account(|account, buffers| {
        let local = Budget::parse(buffers.text(length));
        let local = local.as_ref().unwrap_or(&account.budget);
        let fallback = Fallback::from_number(fallback).unwrap_or(Fallback::Share);
        let member =
            BudgetMember::new(&account.budget, local, lease.into(), fallback, timeout, seed);
        let set = |current: &RefCell<_>| {
            current.try_borrow_mut().map(|mut current| *current = Some(member)).ok()
        };
        CURRENT.try_with(set).unwrap_or_default();
    });
}

/// Notes an event with what the operation holds.
#[wasm_bindgen]
pub fn member_note(event: u32, held: u64, is_local: bool, now: u64) {
    change(|member, _| {
        if let Some(event) = ffi::budget_event(event, Outcome::Transient, held) {
            member.note(event, is_local, now);
        }
    });
}

/// Requests a retry: 0 if the request waits, 1 if it is refused, 2 if it is granted. Writes what the
/// operation then holds, and whether the local budget decided.
#[wasm_bindgen]
pub fn member_request(outcome: u32, now: u64) -> u32 {
    change(|member, buffers| {
        let outcome = ffi::outcome_from_number(outcome).unwrap_or(Outcome::Permanent);
        let (answer, held, is_local) = match member.request(outcome, now) {
            MemberAnswer::Waits => (0, 0, false),
            MemberAnswer::Refused => (1, 0, true),
            MemberAnswer::Granted { held, is_local } => (2, held, is_local),
        };
        buffers.write_words(0, &[held, is_local.into()]);
        answer
    })
}

/// A request that waits after this outcome is not wanted any more.
#[wasm_bindgen]
pub fn member_cancel(outcome: u32) {
    change(|member, _| {
        if let Some(outcome) = ffi::outcome_from_number(outcome) {
            member.cancel(outcome);
        }
    });
}

/// 1 if the store is away, plus 2 if the store does not know all.
#[wasm_bindgen]
pub fn member_state(now: u64) -> u32 {
    change(|member, _| u32::from(member.is_away(now)) | u32::from(member.has_unsent()) << 1)
}

/// In how many nanoseconds an exchange is to begin; 2^64 - 1 for none.
#[wasm_bindgen]
pub fn member_due_in(now: u64) -> u64 {
    change(|member, _| member.due_in(now).unwrap_or(u64::MAX))
}

/// How many nanoseconds a request may wait now.
#[wasm_bindgen]
pub fn member_timeout() -> u64 {
    change(|member, _| member.timeout_ns())
}

/// Writes what has happened so far: exchanges, those that failed, lost swaps, local decisions, and the
/// number of processes.
#[wasm_bindgen]
pub fn member_stats() {
    change(|member, buffers| {
        let stats = member.stats();
        let exchanges = [stats.exchanges, stats.failed_exchanges, stats.lost_swaps];
        let end = buffers.write_words(0, &exchanges);
        buffers.write_words(end, &[stats.local_decisions, stats.processes]);
    });
}

/// Begins an exchange.
#[wasm_bindgen]
pub fn member_exchange(now: u64) {
    change(|member, _| member.begin(now));
}

/// Replaces the text in the first `length` bytes, or none, by that after the steps; returns its
/// length, or 0 if the text is no state. Writes whether it changed, and the number of the steps; for
/// each its event, outcome or 0, what was held, count, and how many were granted.
#[wasm_bindgen]
pub fn member_step(length: usize, has_text: bool, now: u64) -> usize {
    change(|member, buffers| {
        let stepped = member.step(has_text.then(|| buffers.text(length)), now);
        let (state, is_changed) = match stepped {
            None => return 0,
            Some(SteppedState::Unchanged(state)) => (state, false),
            Some(SteppedState::Changed(state)) => (state, true),
        };
        let mut end = 2;
        let mut count = 0_u64;
        for step in member.steps() {
            let (outcome, held) = match step.event {
                BudgetEvent::RetryRequested { outcome } => (outcome as u64, 0),
                BudgetEvent::OperationSucceeded { held } => (0, held),
                _ => (0, 0),
            };
            let event = ffi::budget_event_number(step.event).into();
            end = buffers.write_words(end, &[event, outcome, held, step.count, step.granted]);
            count = count.saturating_add(1);
        }
        buffers.write_words(0, &[is_changed.into(), count]);
        buffers.write_text(0, state.text().as_bytes())
    })
}

/// Ends an exchange that the store has. Writes for each outcome that is retried how many requests are
/// granted and refused, and what a granted one gives.
#[wasm_bindgen]
pub fn member_stored(now: u64) {
    change(|member, buffers| {
        let answers = member.stored(now);
        let mut end = 0;
        for outcome in [Outcome::Transient, Outcome::Throttled, Outcome::Timeout] {
            let (granted, refused) = (answers.granted(outcome), answers.refused(outcome));
            end = buffers.write_words(end, &[granted, refused, answers.held(outcome)]);
        }
    });
}

/// The wait after a lost swap in nanoseconds; 2^64 - 1 if the exchange has failed.
#[wasm_bindgen]
pub fn member_lost(now: u64) -> u64 {
    change(|member, _| member.lost(now).unwrap_or(u64::MAX))
}

/// Ends an exchange that failed.
#[wasm_bindgen]
pub fn member_failed(may_be_stored: bool, now: u64) {
    change(|member, _| member.failed(may_be_stored, now));
}

/// A request has waited for too long.
#[wasm_bindgen]
pub fn member_late(now: u64) {
    change(|member, _| member.late(now));
}

fn change<T: Default>(apply: impl FnOnce(&mut BudgetMember, &mut Buffers) -> T) -> T {
    with_buffers(|buffers| {
        CURRENT
            .try_with(|current| Some(apply(current.try_borrow_mut().ok()?.as_mut()?, buffers)))
            .ok()
            .flatten()
            .unwrap_or_default()
    })
}
