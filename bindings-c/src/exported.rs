//! What every exported function needs: pointers in, a code out.

use core::ptr::NonNull;

use crate::code::{
    BACKOFF_ERROR_NULL_POINTER, BACKOFF_ERROR_TOO_LONG, BACKOFF_ERROR_UNSUPPORTED, BACKOFF_OK,
};

/// Runs the body of an exported function. The body ends in `Ok(())`, and `?` leaves it with the
/// code to return.
macro_rules! exported {
    ($body:block) => {{
        let body = || -> Result<(), u32> {
            // SAFETY: this macro stands only in exported functions, and each of them passes on its
            // own pointers. The `# Safety` section of the function obliges the caller to make each
            // pointer NULL or valid for the documented memory, which is what every helper in a
            // body requires; what may not be NULL has been through `required`.
            unsafe { $body }
        };
        $crate::exported::code_of(body())
    }};
}

pub(crate) use exported;

/// The code that stands for a result in C.
pub(crate) fn code_of(result: Result<(), u32>) -> u32 {
    result.err().unwrap_or(BACKOFF_OK)
}

/// A pointer that may not be NULL.
pub(crate) fn required<T>(at: *mut T) -> Result<NonNull<T>, u32> {
    NonNull::new(at).ok_or(BACKOFF_ERROR_NULL_POINTER)
}

/// What a later version adds to a struct is in words that are 0 for this one.
pub(crate) fn require_zeros(reserved: &[u64]) -> Result<(), u32> {
    let is_zero = reserved.iter().all(|&word| word == 0);
    is_zero.then_some(()).ok_or(BACKOFF_ERROR_UNSUPPORTED)
}

/// Writes to an output that the caller may leave out.
///
/// # Safety
/// `at` is null or valid for a write.
pub(crate) unsafe fn write_optional<T>(at: *mut T, value: T) {
    if !at.is_null() {
        // SAFETY: not null, so valid for a write by the caller's promise.
        unsafe { at.write(value) }
    }
}

/// A length from C, if memory can be that long: Rust allows no object above `isize::MAX` bytes.
pub(crate) fn length_of(length: u64) -> Result<usize, u32> {
    isize::try_from(length).map(isize::unsigned_abs).map_err(|_| BACKOFF_ERROR_TOO_LONG)
}
