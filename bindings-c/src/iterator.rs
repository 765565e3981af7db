use backoff_core::{Backoff, Stream};

use crate::code::{BACKOFF_END, BACKOFF_NULL_POINTER, BACKOFF_OK};
use crate::filled::Filled;
use crate::policy::{FilledPolicy, backoff_policy};

/// The delays of a policy one after another: backoff_delay_ns of index 0, 1, 2, ... of one
/// stream (SPEC 9).
///
/// Caller-owned, nothing to free. Not for use from two threads at once; give each its own,
/// with a stream of its own. A copy goes on by itself with the same delays. Its words are the
/// library's: write them only through the functions that take one.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff {
    opaque: [u64; 32],
}

type FilledBackoff = Filled<Backoff, { u64::from_le_bytes(*b"backoff1") }>;

/// Starts the delays of a policy on a stream at index 0, whether the iterator was used before
/// or not. The policy is copied.
///
/// Whoever shares a stream waits the same: give each client or job a key of its own
/// (backoff_stream_from_key), or take a stream from backoff_stream_from_entropy.
///
/// Fails with BACKOFF_NULL_POINTER, or with BACKOFF_UNINITIALIZED if the policy is.
///
/// # Safety
/// `iterator` points to a backoff, `policy` to a policy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_init(
    iterator: *mut backoff,
    policy: *const backoff_policy,
    stream: u64,
) -> u32 {
    if iterator.is_null() {
        return BACKOFF_NULL_POINTER;
    }
    // SAFETY: the caller's promise is the same.
    match unsafe { FilledPolicy::read(policy) } {
        Ok(policy) => {
            let value = Backoff::new(*policy, Stream::from_seed(stream));
            // SAFETY: not null, and the caller promises an iterator there.
            unsafe { FilledBackoff::put(iterator, value) };
            BACKOFF_OK
        }
        Err(code) => code,
    }
}

/// Writes the next delay, in ns, and moves on by one index.
///
/// Fails with BACKOFF_NULL_POINTER, BACKOFF_UNINITIALIZED, or with BACKOFF_END after index
/// 2^32 - 1; then the iterator stays where it is.
///
/// # Safety
/// `iterator` points to a backoff, `delay_ns` to a word.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_next_ns(iterator: *mut backoff, delay_ns: *mut u64) -> u32 {
    if delay_ns.is_null() {
        return BACKOFF_NULL_POINTER;
    }
    // SAFETY: the caller's promise is the same.
    match unsafe { FilledBackoff::write(iterator) }.map(Backoff::next_ns) {
        Ok(Some(delay)) => {
            // SAFETY: not null, and the caller promises a word there.
            unsafe { delay_ns.write(delay) };
            BACKOFF_OK
        }
        Ok(None) => BACKOFF_END,
        Err(code) => code,
    }
}

/// Starts again at index 0, after a success. It never repeats itself: the stream moves on by
/// the draws taken (SPEC 9.2).
///
/// Fails with BACKOFF_NULL_POINTER or BACKOFF_UNINITIALIZED.
///
/// # Safety
/// `iterator` points to a backoff.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_reset(iterator: *mut backoff) -> u32 {
    // SAFETY: the caller's promise is the same.
    match unsafe { FilledBackoff::write(iterator) } {
        Ok(backoff) => {
            backoff.reset();
            BACKOFF_OK
        }
        Err(code) => code,
    }
}

/// Writes where the iterator stands: the index of its next delay (0 to 2^32, which is its
/// end) and the stream, which a reset changes. Either output may be NULL.
///
/// Fails with BACKOFF_NULL_POINTER or BACKOFF_UNINITIALIZED.
///
/// # Safety
/// `iterator` points to a backoff, the outputs that are not NULL to words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_position(
    iterator: *const backoff,
    index: *mut u64,
    stream: *mut u64,
) -> u32 {
    // SAFETY: the caller's promise is the same.
    match unsafe { FilledBackoff::read(iterator) } {
        Ok(backoff) => {
            let position = [(index, backoff.index()), (stream, backoff.stream().state())];
            for (out, word) in position.into_iter().filter(|(out, _)| !out.is_null()) {
                // SAFETY: not null, and the caller promises a word there.
                unsafe { out.write(word) };
            }
            BACKOFF_OK
        }
        Err(code) => code,
    }
}
