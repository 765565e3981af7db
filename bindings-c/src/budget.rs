//! `backoff_budget`: a limit on the retries of all operations that share it.

use core::ffi::c_char;

use backoff_core::ffi::BUDGET_FIELDS;
use backoff_core::{Budget, BudgetLevel, ffi};

use crate::code::{BACKOFF_ERROR_DAMAGED, backoff_code};
use crate::error::{backoff_error, explained};
use crate::exported::{exported, required};
use crate::field::{Form, field_of, write_ratio, write_value};
use crate::field_number::backoff_field;
use crate::handle::Tagged;
use crate::text::{Output, bytes_at, write_text};

/// A limit on the retries of many operations together, so that retries do not make an overload
/// worse. Use one budget per server, and share it among all operations that call the server (SPEC
/// 15).
///
/// Any number of threads may use one budget at once. They wait for each other while one updates it,
/// which takes nanoseconds; if a thread is interrupted during an update, the others yield, and
/// later sleep, until it continues. For this reason a signal handler must not use a budget, and the
/// child of a fork must make its own: it could wait for a thread that exists only in the parent. Do
/// not copy a budget: both copies would grant the same retries.
///
/// Every function that takes a budget fails with BACKOFF_ERROR_DAMAGED if an update cannot have
/// begun or does not end: something else wrote to the memory, or the budget was copied or the
/// process forked during an update. The first call waits 5 seconds or more for such an update to
/// end.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub struct backoff_budget {
    opaque: [u64; 32],
}

pub(crate) type BudgetHandle = Tagged<Budget, { u64::from_le_bytes(*b"budget-1") }>;

/// Waits until no other thread updates the budget. Every use of a budget calls it first: the core
/// has no operating system to yield to, so it could only spin.
pub(crate) fn wait_until_free(budget: Option<&Budget>) -> Result<(), u32> {
    match budget {
        Some(budget) if !ffi::wait_until_free(budget, yield_now, sleep) => {
            Err(BACKOFF_ERROR_DAMAGED)
        }
        _ => Ok(()),
    }
}

/// The budget in a struct of C, which no thread is updating.
///
/// # Safety
/// As for `Tagged::get`.
pub(crate) unsafe fn free_budget<'a>(budget: *const backoff_budget) -> Result<&'a Budget, u32> {
    // SAFETY: the caller promises what `get` requires.
    let budget = unsafe { BudgetHandle::get(budget) }?;
    wait_until_free(Some(budget)).map(|()| budget)
}

fn yield_now() {
    #[cfg(unix)]
    // SAFETY: `sched_yield` has no preconditions.
    unsafe {
        libc::sched_yield();
    }
    #[cfg(not(unix))]
    core::hint::spin_loop();
}

fn sleep() {
    #[cfg(unix)]
    {
        let millisecond = libc::timespec { tv_sec: 0, tv_nsec: 1_000_000 };
        // SAFETY: the time is valid, and a null pointer discards the time that is left.
        unsafe {
            libc::nanosleep(&raw const millisecond, core::ptr::null_mut());
        }
    }
    #[cfg(not(unix))]
    for _ in 0..1 << 15 {
        core::hint::spin_loop();
    }
}

/// Makes a budget from a budget string of `length` bytes: "ratio", "quota:max_tokens=100", or a
/// preset such as "aws-sdk-2026" (SPEC 15.1). A new budget is full.
///
/// If the string breaks a rule, returns its code (BACKOFF_ERROR_UNKNOWN_KIND to
/// BACKOFF_ERROR_TEXT_TOO_LONG). No other thread uses the budget during the call.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_budget_parse(
    budget: *mut backoff_budget,
    text: *const c_char,
    length: u64,
    error: *mut backoff_error,
) -> backoff_code {
    explained!(error, {
        let budget = required(budget)?;
        BudgetHandle::init(budget, Budget::parse(bytes_at(text, length)?)?);
        Ok(())
    })
}

/// Writes the canonical string of a budget, as it was when it was made, for which
/// BACKOFF_TEXT_SIZE is always enough.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_budget_print(
    budget: *const backoff_budget,
    buffer: *mut c_char,
    size: u64,
    length: *mut u64,
) -> backoff_code {
    exported!({
        write_text(&free_budget(budget).map(Budget::text), Output { buffer, size, length })
    })
}

/// Writes the value of a field of a budget, with its default filled in (SPEC 5.4): nanoseconds, a
/// count, or the number of a kind. BACKOFF_FIELD_BUDGET is the BACKOFF_BUDGET_KIND. Retries do not
/// change the fields.
///
/// Fails with BACKOFF_ERROR_UNKNOWN_FIELD if the number is not a field of a budget,
/// BACKOFF_ERROR_WRONG_UNIT if the field is a ratio, or BACKOFF_ERROR_UNUSED if the kind does not
/// use the field.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_budget_get(
    budget: *const backoff_budget,
    field: backoff_field,
    value: *mut u64,
) -> backoff_code {
    exported!({
        let value = required(value)?;
        let budget = free_budget(budget)?;
        let field = field_of(field, &BUDGET_FIELDS, Form::Number)?;
        write_value(ffi::budget_value(budget, field), value)
    })
}

/// Writes the value of a field of a budget that is a ratio, in lowest terms: BACKOFF_FIELD_RATIO.
/// 1.6 is 8 and 5.
///
/// Fails as backoff_budget_get does, and with BACKOFF_ERROR_WRONG_UNIT if the field is not a ratio.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_budget_get_ratio(
    budget: *const backoff_budget,
    field: backoff_field,
    numerator: *mut u32,
    denominator: *mut u32,
) -> backoff_code {
    exported!({
        let terms = (required(numerator)?, required(denominator)?);
        let budget = free_budget(budget)?;
        let field = field_of(field, &BUDGET_FIELDS, Form::Ratio)?;
        write_ratio(ffi::budget_value(budget, field), terms)
    })
}

/// What a budget has left.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_budget_level {
    /// What is left: level / unit tokens, or for BACKOFF_BUDGET_KIND_TTL and
    /// BACKOFF_BUDGET_KIND_CONCURRENT retries.
    pub level: u64,
    /// The highest level, of a full budget: max / unit tokens. For BACKOFF_BUDGET_KIND_TTL the reserve,
    /// which what operations earn exceeds. For BACKOFF_BUDGET_KIND_CONCURRENT the retries that may be
    /// active at the same time now.
    pub max: u64,
    /// The parts of a token or a retry, at least 1.
    pub unit: u64,
    /// Written as 0.
    pub reserved: u64,
}

impl From<BudgetLevel> for backoff_budget_level {
    fn from(BudgetLevel { level, max, unit }: BudgetLevel) -> Self {
        Self { level, max, unit, reserved: 0 }
    }
}

/// Writes what a budget has left at the time `now_ns` of the clock of its operations, for a gauge
/// or an alert (SPEC 15.9). It changes nothing.
/// A retry may be refused before the level is 0: of BACKOFF_BUDGET_KIND_THROTTLE from half of `max`
/// down, of BACKOFF_BUDGET_KIND_QUOTA below the cost.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_budget_get_level(
    budget: *const backoff_budget,
    now_ns: u64,
    level: *mut backoff_budget_level,
) -> backoff_code {
    exported!({
        let at = required(level)?;
        at.write(free_budget(budget)?.level(now_ns).into());
        Ok(())
    })
}
