use backoff_core::{Policy, Stream};

use crate::code::{
    BACKOFF_END, BACKOFF_NULL_POINTER, BACKOFF_OK, BACKOFF_UNINITIALIZED, backoff_error,
};
use crate::params::{backoff_params, read};

/// How long to wait before each retry: checked once, never changed.
///
/// Caller-owned, nothing to free; copy it freely. Any number of threads may use one policy
/// at once. Its words are the library's: write them only through backoff_policy_init.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_policy {
    opaque: [u64; 24],
}

/// A policy in its caller's memory: the core's policy is plain integers, total over every
/// value, behind a word that tells memory that was never filled.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Filled<T> {
    pub(crate) mark: u64,
    pub(crate) value: T,
}

/// Spells `backoff1` in memory.
pub(crate) const MARK: u64 = u64::from_le_bytes(*b"backoff1");

const _: () = assert!(
    size_of::<Filled<Policy>>() <= size_of::<backoff_policy>()
        && align_of::<Filled<Policy>>() <= align_of::<backoff_policy>()
);

/// Makes a policy of the params that were given.
///
/// If a rule is broken, returns its code, and if `error` is not NULL fills it with the field,
/// its value and the limit; the policy is left as it was. Also fails with
/// BACKOFF_NULL_POINTER (then `error` is left as it was).
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
    match unsafe { read(params) }.build() {
        Ok(value) => {
            // SAFETY: not null, large enough and aligned by the assertion above.
            unsafe { policy.cast::<Filled<Policy>>().write(Filled { mark: MARK, value }) };
            BACKOFF_OK
        }
        Err(refused) => {
            if !error.is_null() {
                // SAFETY: not null, and the caller promises an error there.
                unsafe { error.write(backoff_error::new(refused)) };
            }
            refused.code() as u32
        }
    }
}

/// The policy in a caller's memory, or why there is none.
///
/// # Safety
/// `policy` is null or points to a `backoff_policy`.
pub(crate) unsafe fn policy_of<'a>(policy: *const backoff_policy) -> Result<&'a Policy, u32> {
    // SAFETY: null or, by the caller's promise, readable; every bit pattern is a value.
    match unsafe { policy.cast::<Filled<Policy>>().as_ref() } {
        None => Err(BACKOFF_NULL_POINTER),
        Some(filled) if filled.mark != MARK => Err(BACKOFF_UNINITIALIZED),
        Some(filled) => Ok(&filled.value),
    }
}

/// The delay of an index of a stream, in ns: a pure function. Index 0 is the wait before the
/// first retry. Whoever shares a stream waits the same: give each client or job a key of its
/// own (backoff_stream_from_key).
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

/// The window of an index, in ns: the wait before jitter, under the cap if the cap is on the
/// window.
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
    match unsafe { policy_of(policy) } {
        Ok(policy) => {
            let word = ask(policy);
            // SAFETY: not null, and the caller promises a word there.
            unsafe { out.write(word) };
            BACKOFF_OK
        }
        Err(code) => code,
    }
}

/// Writes the delays of the indices first, first + 1, ... to delays_ns[0 .. count], in ns.
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
    let policy = match unsafe { policy_of(policy) } {
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
