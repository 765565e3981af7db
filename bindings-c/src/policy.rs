use backoff_core::{Policy, Stream};

use crate::code::{BACKOFF_END, BACKOFF_NULL_POINTER, BACKOFF_OK, backoff_error};
use crate::filled::Filled;
use crate::params::{backoff_params, read};

/// How long to wait before each retry: checked once, never changed.
///
/// Caller-owned, nothing to free; copy it freely. Once it is made, any number of threads may
/// use one policy at once. Its words are the library's: write them only through the functions
/// that make one.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_policy {
    opaque: [u64; 24],
}

pub(crate) type FilledPolicy = Filled<Policy, { u64::from_le_bytes(*b"policy-1") }>;

/// Makes a policy of the params that were given. They are copied.
///
/// If a rule of SPEC 8 is broken, returns its code (BACKOFF_UNKNOWN_KIND to
/// BACKOFF_GIVEN_TWICE), and if `error` is not NULL fills it with the code, the field, its
/// value and the limit; the policy is left as it was. Also fails with BACKOFF_NULL_POINTER or
/// with BACKOFF_UNINITIALIZED if the params are; then `error` is left as it was, too.
///
/// # Safety
/// The pointers that are not NULL point to structs of their types, `params` to initialised
/// ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_policy_init(
    policy: *mut backoff_policy,
    params: *const backoff_params,
    error: *mut backoff_error,
) -> u32 {
    if policy.is_null() || params.is_null() {
        return BACKOFF_NULL_POINTER;
    }
    // SAFETY: not null, and the caller promises initialised params.
    let params = match unsafe { read(params) } {
        Ok(params) => params,
        Err(code) => return code,
    };
    match params.build() {
        Ok(value) => {
            // SAFETY: not null, and the caller promises a policy there.
            unsafe { FilledPolicy::put(policy, value) };
            BACKOFF_OK
        }
        // SAFETY: the caller's promise is the same.
        Err(refused) => unsafe { backoff_error::new(refused).put(error) },
    }
}

/// Writes the delay of an index of a stream, in ns, at most BACKOFF_MAX_NS: a pure function
/// (SPEC 6). Index 0 is the wait before the first retry; any index may be asked for at any
/// time.
///
/// Whoever shares a stream waits the same: give each client or job a key of its own
/// (backoff_stream_from_key).
///
/// Fails with BACKOFF_NULL_POINTER or BACKOFF_UNINITIALIZED.
///
/// # Safety
/// `policy` points to a policy, `delay_ns` to a word.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_delay_ns(
    policy: *const backoff_policy,
    stream: u64,
    index: u32,
    delay_ns: *mut u64,
) -> u32 {
    // SAFETY: the caller's promise is the same.
    unsafe { answer(policy, delay_ns, |policy| policy.delay_ns(Stream::from_seed(stream), index)) }
}

/// Writes the window of an index, in ns, at most BACKOFF_MAX_NS: the wait before jitter,
/// under the cap if the cap is on the window (SPEC 5.3). BACKOFF_JITTER_DECORRELATED does not
/// use it.
///
/// Fails with BACKOFF_NULL_POINTER or BACKOFF_UNINITIALIZED.
///
/// # Safety
/// `policy` points to a policy, `window_ns` to a word.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_window_ns(
    policy: *const backoff_policy,
    index: u32,
    window_ns: *mut u64,
) -> u32 {
    // SAFETY: the caller's promise is the same.
    unsafe { answer(policy, window_ns, |policy| policy.window_ns(index)) }
}

/// # Safety
/// The pointers are null or point to what their types say.
unsafe fn answer(
    policy: *const backoff_policy,
    out: *mut u64,
    ask: impl FnOnce(&Policy) -> u64,
) -> u32 {
    if out.is_null() {
        return BACKOFF_NULL_POINTER;
    }
    // SAFETY: the caller's promise is the same.
    match unsafe { FilledPolicy::read(policy) } {
        Ok(policy) => {
            let word = ask(policy);
            // SAFETY: not null, and the caller promises a word there.
            unsafe { out.write(word) };
            BACKOFF_OK
        }
        Err(code) => code,
    }
}

/// Writes the delays of the indices first, first + 1, ... to delays_ns[0] up to
/// delays_ns[count - 1], in ns: what backoff_delay_ns gives for each, faster.
///
/// Fails with BACKOFF_NULL_POINTER (delays_ns may be NULL if count is 0),
/// BACKOFF_UNINITIALIZED, or with BACKOFF_END if first + count is above 2^32; then nothing is
/// written.
///
/// # Safety
/// `policy` points to a policy, `delays_ns` to `count` words that are not part of it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_fill_ns(
    policy: *const backoff_policy,
    stream: u64,
    first: u32,
    delays_ns: *mut u64,
    count: u64,
) -> u32 {
    // SAFETY: the caller's promise is the same.
    let policy = match unsafe { FilledPolicy::read(policy) } {
        Ok(policy) => policy,
        Err(code) => return code,
    };
    if count == 0 {
        return BACKOFF_OK;
    }
    if delays_ns.is_null() {
        return BACKOFF_NULL_POINTER;
    }
    let length = match usize::try_from(count) {
        Ok(length) if count <= (1 << 32) - u64::from(first) => length,
        _ => return BACKOFF_END,
    };
    // SAFETY: not null, and the caller promises `count` words that nothing else borrows.
    let delays = unsafe { core::slice::from_raw_parts_mut(delays_ns, length) };
    policy.fill_ns(Stream::from_seed(stream), first, delays);
    BACKOFF_OK
}
