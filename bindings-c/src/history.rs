use core::ffi::c_char;

use backoff_core::{History, StopReason};

use crate::code::{BACKOFF_NULL_POINTER, BACKOFF_OK, BACKOFF_UNKNOWN_REASON};
use crate::filled::Filled;
use crate::text::put_text;

/// A buffer of this size holds every history in print with its terminating zero.
pub const BACKOFF_HISTORY_SIZE: u32 = 4096;

/// How many operations made how many attempts, and why they stopped (SPEC 17).
///
/// Caller-owned, nothing to free. Any number of threads may use one history at once; what is
/// read while others record may lack a part of an operation, but no count ever goes down. A copy
/// counts by itself; copy one only while nobody records. Its words are the library's: write them
/// only through the functions that take one.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_history {
    opaque: [u64; 24],
}

pub(crate) type FilledHistory = Filled<History, { u64::from_le_bytes(*b"history1") }>;

/// The counts of a history. None goes beyond 2^64 - 1. The operations are those of the buckets
/// together, and the attempts are operations and retries together, also while others record.
///
/// A plain value: copy it freely.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_history_counts {
    /// The operations.
    pub operations: u64,
    /// The attempts of all operations.
    pub attempts: u64,
    /// The retries of all operations: their attempts but the first of each.
    pub retries: u64,
    /// The operations that made 1, 2, 3, 4, 5, 6, at most 8, 10, 15, 25, 50, and more attempts,
    /// each counted once.
    pub buckets: [u64; 12],
    /// The operations that stopped for a reason: BACKOFF_REASON_SUCCESS in stops[0], and so on.
    pub stops: [u64; 7],
}

const _: () = assert!(History::BUCKETS == 12 && StopReason::ALL.len() == 7);

/// Starts a history with nothing counted, whether it was used before or not.
///
/// Fails with BACKOFF_NULL_POINTER.
///
/// # Safety
/// `history` points to a history that nobody else uses meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_history_init(history: *mut backoff_history) -> u32 {
    if history.is_null() {
        return BACKOFF_NULL_POINTER;
    }
    // SAFETY: not null, and the caller promises a history there that is ours alone.
    unsafe { FilledHistory::put(history, History::new()) };
    BACKOFF_OK
}

/// Counts an operation that has ended after so many attempts for a BACKOFF_REASON. They are
/// retries + 1 of what backoff_operation_state writes; 0 counts as 1.
///
/// Fails with BACKOFF_NULL_POINTER, BACKOFF_UNINITIALIZED or BACKOFF_UNKNOWN_REASON.
///
/// # Safety
/// `history` points to a history.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_history_record(
    history: *mut backoff_history,
    attempts: u64,
    reason: u32,
) -> u32 {
    // SAFETY: the caller's promise is the same; a history is changed by shared reference.
    match (unsafe { FilledHistory::read(history) }, StopReason::from_number(reason)) {
        (Ok(history), Some(reason)) => {
            history.record(attempts, reason);
            BACKOFF_OK
        }
        (Ok(_), None) => BACKOFF_UNKNOWN_REASON,
        (Err(code), _) => code,
    }
}

/// Adds the counts of another history, which stays as it is.
///
/// Fails with BACKOFF_NULL_POINTER or BACKOFF_UNINITIALIZED.
///
/// # Safety
/// Both pointers point to histories.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_history_merge(
    history: *mut backoff_history,
    other: *const backoff_history,
) -> u32 {
    // SAFETY: the caller's promise is the same; a history is changed by shared reference.
    match unsafe { (FilledHistory::read(history), FilledHistory::read(other)) } {
        (Ok(history), Ok(other)) => {
            history.merge(other);
            BACKOFF_OK
        }
        (Err(code), _) | (_, Err(code)) => code,
    }
}

/// Writes the counts of a history.
///
/// Fails with BACKOFF_NULL_POINTER or BACKOFF_UNINITIALIZED.
///
/// # Safety
/// `history` points to a history, `counts` to counts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_history_read(
    history: *const backoff_history,
    counts: *mut backoff_history_counts,
) -> u32 {
    if counts.is_null() {
        return BACKOFF_NULL_POINTER;
    }
    // SAFETY: the caller's promise is the same.
    match unsafe { FilledHistory::read(history) } {
        Ok(history) => {
            // Of one copy, so that the sums are right; what others record meanwhile may be in a
            // part of its counts.
            let history = history.clone();
            let read = backoff_history_counts {
                operations: history.operations(),
                attempts: history.attempts(),
                retries: history.retries(),
                buckets: history.buckets(),
                stops: StopReason::ALL.map(|reason| history.stopped(reason)),
            };
            // SAFETY: not null, and the caller promises counts there.
            unsafe { counts.write(read) };
            BACKOFF_OK
        }
        Err(code) => code,
    }
}

/// Writes a history in the text format of Prometheus (SPEC 17.2) with a terminating zero into a
/// buffer of `size` bytes; BACKOFF_HISTORY_SIZE is always enough.
///
/// Fails with BACKOFF_NULL_POINTER, BACKOFF_UNINITIALIZED or BACKOFF_BUFFER_TOO_SMALL.
///
/// # Safety
/// `history` points to a history, `buffer` to `size` bytes that are not part of it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_history_print(
    history: *const backoff_history,
    buffer: *mut c_char,
    size: u64,
) -> u32 {
    // SAFETY: the caller's promise is the same.
    let history = match unsafe { FilledHistory::read(history) } {
        Ok(history) => history.clone(),
        Err(code) => return code,
    };
    let mut text = [0; BACKOFF_HISTORY_SIZE as usize];
    let mut length = 0;
    for line in history.lines() {
        for (slot, byte) in text.iter_mut().skip(length).zip(line.as_bytes().iter().chain(b"\n")) {
            *slot = *byte;
            length += 1;
        }
    }
    // SAFETY: the caller's promise is the same.
    unsafe { put_text(text.get(..length).unwrap_or_default(), buffer, size) }
}
