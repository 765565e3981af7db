use backoff_core::{Backoff, Stream};

use crate::code::{BACKOFF_END, BACKOFF_NULL_POINTER, BACKOFF_OK, BACKOFF_UNINITIALIZED};
use crate::policy::{Filled, MARK, backoff_policy, policy_of};

/// The delays of a policy one after another: backoff_delay_ns of index 0, 1, 2, ...
///
/// Caller-owned, nothing to free. Not for use from two threads at once; give each its own,
/// with a stream of its own. A copy goes on by itself with the same delays.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff {
    opaque: [u64; 32],
}

const _: () = assert!(
    size_of::<Filled<Backoff>>() <= size_of::<backoff>()
        && align_of::<Filled<Backoff>>() <= align_of::<backoff>()
);

/// Starts the delays of a policy on a stream at index 0. The policy is copied.
///
/// Fails with BACKOFF_NULL_POINTER or BACKOFF_UNINITIALIZED.
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
    match unsafe { policy_of(policy) } {
        Ok(policy) => {
            let value = Backoff::new(*policy, Stream::from_seed(stream));
            // SAFETY: not null, large enough and aligned by the assertion above.
            unsafe { iterator.cast::<Filled<Backoff>>().write(Filled { mark: MARK, value }) };
            BACKOFF_OK
        }
        Err(code) => code,
    }
}

/// The iterator in a caller's memory, or why there is none.
///
/// # Safety
/// `iterator` is null or points to a `backoff` that nothing else uses meanwhile.
unsafe fn backoff_of<'a>(iterator: *mut backoff) -> Result<&'a mut Backoff, u32> {
    // SAFETY: null or, by the caller's promise, ours alone; every bit pattern is a value.
    match unsafe { iterator.cast::<Filled<Backoff>>().as_mut() } {
        None => Err(BACKOFF_NULL_POINTER),
        Some(filled) if filled.mark != MARK => Err(BACKOFF_UNINITIALIZED),
        Some(filled) => Ok(&mut filled.value),
    }
}

/// The next delay, in ns.
///
/// Fails with BACKOFF_NULL_POINTER, BACKOFF_UNINITIALIZED, or with BACKOFF_END after index
/// 2^32 - 1.
///
/// # Safety
/// `iterator` points to a backoff, `delay_ns` to a word.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_next_ns(iterator: *mut backoff, delay_ns: *mut u64) -> u32 {
    if delay_ns.is_null() {
        return BACKOFF_NULL_POINTER;
    }
    // SAFETY: the caller's promise is the same.
    match unsafe { backoff_of(iterator) }.map(Backoff::next_ns) {
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
/// the draws taken.
///
/// Fails with BACKOFF_NULL_POINTER or BACKOFF_UNINITIALIZED.
///
/// # Safety
/// `iterator` points to a backoff.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_reset(iterator: *mut backoff) -> u32 {
    // SAFETY: the caller's promise is the same.
    match unsafe { backoff_of(iterator) } {
        Ok(backoff) => {
            backoff.reset();
            BACKOFF_OK
        }
        Err(code) => code,
    }
}

/// Where the iterator stands: the index of its next delay (0 to 2^32, which is its end) and
/// the stream, which a reset changes. Either output may be NULL.
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
    // SAFETY: the caller's promise is the same, and it is only read.
    match unsafe { backoff_of(iterator.cast_mut()) } {
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
