use core::ffi::c_char;

use backoff_core::Budget;

use crate::code::{BACKOFF_NULL_POINTER, BACKOFF_OK, backoff_error};
use crate::filled::Filled;
use crate::text::{put_text, text_at};

/// Bounds the retries of many operations together, so that retries do not make an overload
/// worse: one budget for each server, which all operations that call it share (SPEC 15).
///
/// Caller-owned, nothing to free. Any number of threads may hand one budget to their operations
/// at once: they wait for each other while one does its account, which takes nanoseconds, or until
/// it goes on if it was interrupted there; meanwhile the others yield. So a budget is not for
/// handlers of signals, and the child of a fork must not use one that another thread of the
/// parent may have been using at that moment (it could wait forever): make it anew there. To copy
/// one is a mistake: each of the two would grant what is there once. Its words are the library's:
/// write them only through the functions that take one.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_budget {
    opaque: [u64; 32],
}

type FilledBudget = Filled<Budget, { u64::from_le_bytes(*b"budget-1") }>;

/// Makes a budget of the `length` bytes of a line, without a terminating zero: "ratio",
/// "quota:max_tokens=100", or a preset such as "aws-sdk-2026" (SPEC 15.1). It begins full.
///
/// If the line breaks a rule, returns its code (BACKOFF_UNKNOWN_KIND to BACKOFF_TEXT_TOO_LONG),
/// and if `error` is not NULL fills it; the budget is left as it was. Also fails with
/// BACKOFF_NULL_POINTER or BACKOFF_TOO_LONG; then `error` is left as it was, too.
///
/// # Safety
/// The pointers that are not NULL point to structs of their types, `text` to `length` bytes.
/// Nobody else uses the budget meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_budget_parse(
    budget: *mut backoff_budget,
    text: *const c_char,
    length: u64,
    error: *mut backoff_error,
) -> u32 {
    if budget.is_null() {
        return BACKOFF_NULL_POINTER;
    }
    // SAFETY: the caller's promise is the same.
    match unsafe { text_at(text, length) }.map(Budget::parse) {
        Ok(Ok(value)) => {
            // SAFETY: not null, and the caller promises a budget there that is ours alone.
            unsafe { FilledBudget::put(budget, value) };
            BACKOFF_OK
        }
        // SAFETY: the caller's promise is the same.
        Ok(Err(refused)) => unsafe { backoff_error::of_line(&refused).put(error) },
        Err(code) => code,
    }
}

/// Writes the line of a budget as it was made, with a terminating zero into a buffer of `size`
/// bytes; BACKOFF_TEXT_SIZE is always enough.
///
/// Fails with BACKOFF_NULL_POINTER, BACKOFF_UNINITIALIZED or BACKOFF_BUFFER_TOO_SMALL.
///
/// # Safety
/// `budget` points to a budget, `buffer` to `size` bytes that are not part of it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_budget_print(
    budget: *const backoff_budget,
    buffer: *mut c_char,
    size: u64,
) -> u32 {
    // SAFETY: the caller's promise is the same.
    match unsafe { FilledBudget::read(budget) } {
        // SAFETY: the caller's promise is the same.
        Ok(budget) => unsafe { put_text(budget.line().as_bytes(), buffer, size) },
        Err(code) => code,
    }
}

/// The budget at a pointer, if it is not null.
///
/// # Safety
/// `budget` is null or points to a budget.
pub(crate) unsafe fn budget_at<'a>(
    budget: *const backoff_budget,
) -> Result<Option<&'a Budget>, u32> {
    if budget.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise is the same; a budget is changed by shared reference.
    unsafe { FilledBudget::read(budget) }.map(Some)
}
