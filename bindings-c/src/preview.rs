use backoff_core::{Policy, PolicyError, Preview, PreviewRow};

use crate::code::{BACKOFF_END, BACKOFF_NULL_POINTER, BACKOFF_OK, backoff_error};
use crate::filled::Filled;
use crate::policy::{FilledPolicy, backoff_policy};

/// The retries of a policy as they can be, one after another, without a draw (SPEC 16): as if no
/// failure were throttled and no hint given.
///
/// Caller-owned, nothing to free. Not for use from two threads at once. A copy goes on by
/// itself. Its words are the library's: write them only through the functions that take one.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_preview {
    opaque: [u64; 64],
}

type FilledPreview = Filled<Preview, { u64::from_le_bytes(*b"preview1") }>;

/// A retry as it can be; all durations in ns.
///
/// A plain value: copy it freely.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_preview_row {
    /// The smallest delay.
    pub smallest: u64,
    /// The mean of the delays, rounded down. With BACKOFF_JITTER_DECORRELATED that after the
    /// mean of the retry before: an upper estimate where the cap can be reached.
    pub mean: u64,
    /// The largest delay.
    pub largest: u64,
    /// The smallest delays up to here together.
    pub total_smallest: u64,
    /// The means up to here together.
    pub total_mean: u64,
    /// The largest delays up to here together.
    pub total_largest: u64,
}

/// Starts the preview of a policy at its first retry, whether it was used before or not. The
/// policy is copied.
///
/// Fails with BACKOFF_NULL_POINTER, or with BACKOFF_UNINITIALIZED if the policy is.
///
/// # Safety
/// `preview` points to a preview, `policy` to a policy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_preview_init(
    preview: *mut backoff_preview,
    policy: *const backoff_policy,
) -> u32 {
    if preview.is_null() {
        return BACKOFF_NULL_POINTER;
    }
    // SAFETY: the caller's promise is the same.
    match unsafe { FilledPolicy::read(policy) } {
        Ok(policy) => {
            // SAFETY: not null, and the caller promises a preview there.
            unsafe { FilledPreview::put(preview, policy.preview()) };
            BACKOFF_OK
        }
        Err(code) => code,
    }
}

/// Writes the next retry as it can be.
///
/// Fails with BACKOFF_NULL_POINTER, BACKOFF_UNINITIALIZED, or with BACKOFF_END where no retry
/// can be made any more (SPEC 16.4); then the preview stays where it is.
///
/// # Safety
/// `preview` points to a preview, `row` to a row.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_preview_next(
    preview: *mut backoff_preview,
    row: *mut backoff_preview_row,
) -> u32 {
    if row.is_null() {
        return BACKOFF_NULL_POINTER;
    }
    // SAFETY: the caller's promise is the same.
    let preview = match unsafe { FilledPreview::write(preview) } {
        Ok(preview) => preview,
        Err(code) => return code,
    };
    let mut after = preview.clone();
    let Some(next) = after.next() else { return BACKOFF_END };
    *preview = after;
    let PreviewRow { smallest, mean, largest, total_smallest, total_mean, total_largest } = next;
    let next =
        backoff_preview_row { smallest, mean, largest, total_smallest, total_mean, total_largest };
    // SAFETY: not null, and the caller promises a row there.
    unsafe { row.write(next) };
    BACKOFF_OK
}

/// Makes the policy that is the given one but for its base: the longest with which so many
/// attempts (1 to 65536) always fit into a time of waiting (SPEC 16.5), as if no failure were
/// throttled and no hint given. The limits of the policy are not looked at; `fitted` may be the
/// policy itself.
///
/// If nothing fits, or a number is out of its range, returns BACKOFF_DOES_NOT_FIT,
/// BACKOFF_TOO_SMALL or BACKOFF_TOO_LARGE, and if `error` is not NULL fills it; `fitted` is left as
/// it was. Also fails with BACKOFF_NULL_POINTER or BACKOFF_UNINITIALIZED; then `error` is left as
/// it was, too.
///
/// # Safety
/// The pointers that are not NULL point to structs of their types.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_fit_base(
    policy: *const backoff_policy,
    attempts: u64,
    total_ns: u64,
    fitted: *mut backoff_policy,
    error: *mut backoff_error,
) -> u32 {
    // SAFETY: the caller's promise is the same.
    unsafe { fit(policy, |policy| policy.fit_base(attempts, total_ns), fitted, error) }
}

/// Makes the policy that is the given one but for its cap: the longest with which so many
/// attempts fit into a time of waiting. All else is as for backoff_fit_base.
///
/// # Safety
/// The pointers that are not NULL point to structs of their types.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_fit_cap(
    policy: *const backoff_policy,
    attempts: u64,
    total_ns: u64,
    fitted: *mut backoff_policy,
    error: *mut backoff_error,
) -> u32 {
    // SAFETY: the caller's promise is the same.
    unsafe { fit(policy, |policy| policy.fit_cap(attempts, total_ns), fitted, error) }
}

/// # Safety
/// The pointers are null or point to what their types say.
unsafe fn fit(
    policy: *const backoff_policy,
    ask: impl FnOnce(&Policy) -> Result<Policy, PolicyError>,
    fitted: *mut backoff_policy,
    error: *mut backoff_error,
) -> u32 {
    if fitted.is_null() {
        return BACKOFF_NULL_POINTER;
    }
    // SAFETY: the caller's promise is the same.
    match unsafe { FilledPolicy::read(policy) }.map(ask) {
        Ok(Ok(value)) => {
            // SAFETY: not null, and the caller promises a policy there.
            unsafe { FilledPolicy::put(fitted, value) };
            BACKOFF_OK
        }
        // SAFETY: the caller's promise is the same.
        Ok(Err(refused)) => unsafe { backoff_error::new(refused).put(error) },
        Err(code) => code,
    }
}
