//! `backoff_budget_member`: what one process knows of a shared budget (SPEC 15.7).

use core::ffi::c_char;

use backoff_core::ffi::{budget_event, budget_event_number, outcome_from_number};
use backoff_core::{
    BudgetEvent, BudgetMember, ExchangeAnswers, Fallback, MemberAnswer, Outcome, SteppedState,
};

use crate::budget::{backoff_budget, backoff_budget_level, free_budget};
use crate::budget_state::{backoff_budget_event, backoff_budget_event_kind};
use crate::code::{
    BACKOFF_ERROR_END, BACKOFF_ERROR_NOT_A_STATE, BACKOFF_ERROR_TOO_LARGE, BACKOFF_ERROR_TOO_SMALL,
    BACKOFF_ERROR_UNKNOWN_EVENT, BACKOFF_ERROR_UNKNOWN_OUTCOME, backoff_code,
};
use crate::exported::{exported, require_zeros, required, write_optional};
use crate::handle::Tagged;
use crate::outcome::backoff_outcome;
use crate::text::{Output, bytes_at, write_text};

/// What one process knows of a budget that many processes share through a store: a state machine
/// without I/O and without a clock (SPEC 15.7).
///
/// An operation notes its events (backoff_budget_member_note), and requests each retry. One exchange
/// at a time, when backoff_budget_member_state says that one is due: begin; load the text of the store,
/// step it and swap the result for it; then stored if it was swapped or did not change, lost if
/// another process was first (wait, load and step again), or failed. Other orders are not detected.
///
/// Copy it freely. Not thread-safe: keep it behind a lock.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub struct backoff_budget_member {
    opaque: [u64; 128],
}

type MemberHandle = Tagged<BudgetMember, { u64::from_le_bytes(*b"member-1") }>;

/// While the store is away, each process grants its share of what its local budget grants. The account counts the
/// processes.
pub const BACKOFF_FALLBACK_SHARE: u64 = 0;
/// While the store is away, each process grants all that its local budget grants.
pub const BACKOFF_FALLBACK_WHOLE: u64 = 1;
/// While the store is away, no process grants anything.
pub const BACKOFF_FALLBACK_REFUSE: u64 = 18446744073709551615u64;

/// The answer to a request of a retry.
pub type backoff_request = u32;

/// The retry is granted.
pub const BACKOFF_REQUEST_GRANTED: u32 = 1;
/// The local budget has refused the retry.
pub const BACKOFF_REQUEST_REFUSED: u32 = 2;
/// The next exchange answers the request.
pub const BACKOFF_REQUEST_WAITS: u32 = 3;

/// The answer to backoff_budget_member_request.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_member_answer {
    /// Whether the retry is granted, or waits for an exchange.
    pub answer: backoff_request,
    /// 1 if the local budget decided, otherwise 0.
    pub is_local: u32,
    /// What the operation holds after a granted retry, otherwise 0.
    pub held: u64,
    /// Written as 0.
    pub reserved: [u64; 2],
}

/// A step of an exchange that happened `count` times in a row.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_exchange_step {
    /// What happened.
    pub event: backoff_budget_event_kind,
    /// The outcome of BACKOFF_BUDGET_EVENT_RETRY_REQUESTED, otherwise BACKOFF_OUTCOME_NONE.
    pub outcome: backoff_outcome,
    /// What the operation holds at BACKOFF_BUDGET_EVENT_OPERATION_SUCCEEDED, otherwise 0.
    pub held: u64,
    /// How often it happened.
    pub count: u64,
    /// How many retries were granted: the first.
    pub granted: u64,
    /// Written as 0.
    pub reserved: [u64; 2],
}

/// What an exchange has answered, by outcome: granted[BACKOFF_OUTCOME_THROTTLED].
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_exchange_answers {
    /// How many of the requests that wait are granted: the oldest.
    pub granted: [u64; 8],
    /// How many are refused: the oldest after those.
    pub refused: [u64; 8],
    /// What the operation of a granted request holds.
    pub held: [u64; 8],
}

/// What a process has exchanged with the store of a shared budget.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_shared_budget_stats {
    /// The exchanges that began.
    pub exchanges: u64,
    /// Those that failed.
    pub failed_exchanges: u64,
    /// The swaps that another process made first.
    pub lost_swaps: u64,
    /// The requests that the local budget answered, because the store was away.
    pub local_decisions: u64,
    /// How many processes the account has told of, with this one.
    pub processes: u64,
    /// Written as 0.
    pub reserved: [u64; 3],
}

/// Begins a member of the shared budget `budget`. `local` is the kind of budget that decides while
/// the store is away. The configurations of both are copied: the member's own local budget begins
/// full, and the two budgets stay as they are. `fallback` is a BACKOFF_FALLBACK, or the number of
/// processes, up to 1000000, among which each grants its share. A request that is granted takes up
/// to `lease - 1` more retries along. An exchange may take `timeout_ns`. The seed spreads the waits
/// after lost swaps: each process needs its own.
///
/// Fails with BACKOFF_ERROR_TOO_SMALL for a lease of 0, or BACKOFF_ERROR_TOO_LARGE for one above
/// 1000 or a fallback above 1000000.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_budget_member_init(
    member: *mut backoff_budget_member,
    budget: *const backoff_budget,
    local: *const backoff_budget,
    lease: u64,
    fallback: u64,
    timeout_ns: u64,
    seed: u64,
) -> backoff_code {
    exported!({
        let member = required(member)?;
        let budget = free_budget(budget)?;
        let local = free_budget(local)?;
        if lease == 0 {
            return Err(BACKOFF_ERROR_TOO_SMALL);
        }
        if lease > BudgetMember::MAX_LEASE {
            return Err(BACKOFF_ERROR_TOO_LARGE);
        }
        let fallback = Fallback::from_number(fallback).ok_or(BACKOFF_ERROR_TOO_LARGE)?;
        let begun = BudgetMember::new(budget, local, lease, fallback, timeout_ns, seed);
        MemberHandle::init(member, begun);
        Ok(())
    })
}

/// Notes what an operation reports, at a time of the process's clock. `is_local` says whether the
/// local budget gave what the operation holds. BACKOFF_BUDGET_EVENT_RETRY_REQUESTED is no report
/// and changes nothing.
///
/// Fails with BACKOFF_ERROR_UNKNOWN_EVENT or BACKOFF_ERROR_UNSUPPORTED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_budget_member_note(
    member: *mut backoff_budget_member,
    event: *const backoff_budget_event,
    is_local: u32,
    now_ns: u64,
) -> backoff_code {
    exported!({
        let event = *required(event.cast_mut())?.as_ref();
        require_zeros(&event.reserved)?;
        let member = MemberHandle::get_mut(member)?;
        let event = budget_event(event.event, Outcome::Transient, event.held);
        member.note(event.ok_or(BACKOFF_ERROR_UNKNOWN_EVENT)?, is_local != 0, now_ns);
        Ok(())
    })
}

/// Requests a retry after an outcome, at a time of the process's clock. An outcome that is not
/// retried is refused.
///
/// Fails with BACKOFF_ERROR_UNKNOWN_OUTCOME.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_budget_member_request(
    member: *mut backoff_budget_member,
    outcome: backoff_outcome,
    now_ns: u64,
    answer: *mut backoff_member_answer,
) -> backoff_code {
    exported!({
        let answer = required(answer)?;
        let member = MemberHandle::get_mut(member)?;
        let outcome = outcome_from_number(outcome).ok_or(BACKOFF_ERROR_UNKNOWN_OUTCOME)?;
        let (code, is_local, held) = match member.request(outcome, now_ns) {
            MemberAnswer::Granted { held, is_local } => (BACKOFF_REQUEST_GRANTED, is_local, held),
            MemberAnswer::Refused => (BACKOFF_REQUEST_REFUSED, true, 0),
            MemberAnswer::Waits => (BACKOFF_REQUEST_WAITS, false, 0),
        };
        let is_local = is_local.into();
        answer.write(backoff_member_answer { answer: code, is_local, held, reserved: [0; 2] });
        Ok(())
    })
}

/// One of the requests after an outcome that wait is not wanted any more.
///
/// Fails with BACKOFF_ERROR_UNKNOWN_OUTCOME.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_budget_member_cancel(
    member: *mut backoff_budget_member,
    outcome: backoff_outcome,
) -> backoff_code {
    exported!({
        let member = MemberHandle::get_mut(member)?;
        member.cancel(outcome_from_number(outcome).ok_or(BACKOFF_ERROR_UNKNOWN_OUTCOME)?);
        Ok(())
    })
}

/// Writes whether the store is away, so that the local budget decides, as 1 or 0; in how many
/// nanoseconds an exchange is to begin, or BACKOFF_NO_TIME; whether there is something that the
/// store does not know, as 1 or 0; and how many nanoseconds a request may wait now, and an exchange
/// take: `timeout_ns`, but at least a second until the first exchange has ended. Each of the four
/// may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_budget_member_state(
    member: *const backoff_budget_member,
    now_ns: u64,
    is_away: *mut u32,
    due_in_ns: *mut u64,
    has_unsent: *mut u32,
    timeout_ns: *mut u64,
) -> backoff_code {
    exported!({
        let member = MemberHandle::get(member)?;
        write_optional(is_away, member.is_away(now_ns).into());
        write_optional(due_in_ns, member.due_in(now_ns).unwrap_or(u64::MAX));
        write_optional(has_unsent, member.has_unsent().into());
        write_optional(timeout_ns, member.timeout_ns());
        Ok(())
    })
}

/// Writes what has happened so far, for metrics.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_budget_member_stats(
    member: *const backoff_budget_member,
    stats: *mut backoff_shared_budget_stats,
) -> backoff_code {
    exported!({
        let at = required(stats)?;
        let stats = MemberHandle::get(member)?.stats();
        at.write(backoff_shared_budget_stats {
            exchanges: stats.exchanges,
            failed_exchanges: stats.failed_exchanges,
            lost_swaps: stats.lost_swaps,
            local_decisions: stats.local_decisions,
            processes: stats.processes,
            reserved: [0; 3],
        });
        Ok(())
    })
}

/// Writes what is left of what the store holds, for a gauge (SPEC 15.9): a text of `length` bytes, or
/// nothing if `text` is NULL, at the time `store_ns` of its clock. It changes nothing, and needs no exchange.
///
/// Fails with BACKOFF_ERROR_NOT_A_STATE if the text is not that of a state of the budget.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_budget_member_get_level(
    member: *const backoff_budget_member,
    text: *const c_char,
    length: u64,
    store_ns: u64,
    level: *mut backoff_budget_level,
) -> backoff_code {
    exported!({
        let at = required(level)?;
        let text = if text.is_null() { None } else { Some(bytes_at(text, length)?) };
        let left = MemberHandle::get(member)?.level(text, store_ns);
        at.write(left.ok_or(BACKOFF_ERROR_NOT_A_STATE)?.into());
        Ok(())
    })
}

/// Begins an exchange, at a time of the process's clock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_budget_member_begin(
    member: *mut backoff_budget_member,
    now_ns: u64,
) -> backoff_code {
    exported!({
        MemberHandle::get_mut(member)?.begin(now_ns);
        Ok(())
    })
}

/// Steps what the store holds: a text of `length` bytes, or nothing if `text` is NULL, at the time
/// `store_ns` of its clock. Writes the text to swap for it with a terminating zero into a buffer of
/// `size` bytes, for which BACKOFF_TEXT_SIZE is always enough, and into `changed` 1, or 0 if there
/// is nothing to swap.
///
/// Fails with BACKOFF_ERROR_NOT_A_STATE if the text is not that of a state of the budget; the
/// exchange has then failed: call backoff_budget_member_failed.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_budget_member_step(
    member: *mut backoff_budget_member,
    text: *const c_char,
    length: u64,
    store_ns: u64,
    buffer: *mut c_char,
    size: u64,
    text_length: *mut u64,
    changed: *mut u32,
) -> backoff_code {
    exported!({
        let step = || {
            let text = if text.is_null() { None } else { Some(bytes_at(text, length)?) };
            required(changed)?;
            let mut after = *MemberHandle::get(member)?;
            let stepped = after.step(text, store_ns).ok_or(BACKOFF_ERROR_NOT_A_STATE)?;
            Ok((after, stepped))
        };
        let stepped = step();
        let text = stepped.map(|(_, stepped)| match stepped {
            SteppedState::Unchanged(state) | SteppedState::Changed(state) => state.text(),
        });
        write_text(&text, Output { buffer, size, length: text_length })?;
        let (after, stepped) = stepped?;
        *MemberHandle::get_mut(member)? = after;
        changed.write(matches!(stepped, SteppedState::Changed(_)).into());
        Ok(())
    })
}

/// Writes step number `index` of the exchange under way.
///
/// Fails with BACKOFF_ERROR_END if there are no more.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_budget_member_exchange_step(
    member: *const backoff_budget_member,
    index: u64,
    step: *mut backoff_exchange_step,
) -> backoff_code {
    exported!({
        let at = required(step)?;
        let index = usize::try_from(index).map_err(|_| BACKOFF_ERROR_END)?;
        let step = MemberHandle::get(member)?.steps().nth(index).ok_or(BACKOFF_ERROR_END)?;
        let (outcome, held) = match step.event {
            BudgetEvent::RetryRequested { outcome } => (outcome as u32, 0),
            BudgetEvent::OperationSucceeded { held } => (0, held),
            _ => (0, 0),
        };
        at.write(backoff_exchange_step {
            event: budget_event_number(step.event),
            outcome,
            held,
            count: step.count,
            granted: step.granted,
            reserved: [0; 2],
        });
        Ok(())
    })
}

/// Ends an exchange whose steps the store has, or that changed nothing, and writes its answers.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_budget_member_stored(
    member: *mut backoff_budget_member,
    now_ns: u64,
    answers: *mut backoff_exchange_answers,
) -> backoff_code {
    exported!({
        let at = required(answers)?;
        let answers = MemberHandle::get_mut(member)?.stored(now_ns);
        let by_outcome = |number: fn(&ExchangeAnswers, Outcome) -> u64| {
            let of = |outcome| outcome_from_number(outcome).map_or(0, |of| number(&answers, of));
            [0, 1, 2, 3, 4, 5, 6, 7].map(of)
        };
        at.write(backoff_exchange_answers {
            granted: by_outcome(ExchangeAnswers::granted),
            refused: by_outcome(ExchangeAnswers::refused),
            held: by_outcome(ExchangeAnswers::held),
        });
        Ok(())
    })
}

/// The store held another text: writes how long to wait, in nanoseconds, before it is loaded again.
///
/// Fails with BACKOFF_ERROR_END if the time for that is over; the exchange has then failed: call
/// backoff_budget_member_failed.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_budget_member_lost(
    member: *mut backoff_budget_member,
    now_ns: u64,
    wait_ns: *mut u64,
) -> backoff_code {
    exported!({
        let at = required(wait_ns)?;
        at.write(MemberHandle::get_mut(member)?.lost(now_ns).ok_or(BACKOFF_ERROR_END)?);
        Ok(())
    })
}

/// Ends an exchange that failed. If `may_be_stored` is not 0, its events are not sent again. Repeat
/// every request that waits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_budget_member_failed(
    member: *mut backoff_budget_member,
    may_be_stored: u32,
    now_ns: u64,
) -> backoff_code {
    exported!({
        MemberHandle::get_mut(member)?.failed(may_be_stored != 0, now_ns);
        Ok(())
    })
}

/// A request has waited for the timeout: the store is away, and the exchange under way goes on.
/// Repeat every request that waits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_budget_member_late(
    member: *mut backoff_budget_member,
    now_ns: u64,
) -> backoff_code {
    exported!({
        MemberHandle::get_mut(member)?.late(now_ns);
        Ok(())
    })
}
