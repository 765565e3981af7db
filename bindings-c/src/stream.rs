use core::ffi::c_void;

use backoff_core::Stream;

use crate::code::{BACKOFF_NO_ENTROPY, BACKOFF_NULL_POINTER, BACKOFF_OK};
use crate::filled::length_of;

/// Writes the stream of a seed and a key (a job id, a client name): what every language
/// computes from the same two (SPEC 3.2). The key is `length` bytes, UTF-8 if it is text,
/// without a terminating zero; the length may be 0, and then `key` may be NULL.
///
/// The stream of a seed alone is the seed itself: everyone with the same seed and no key waits
/// the same, so give each client or job a key of its own.
///
/// Fails with BACKOFF_NULL_POINTER, or with BACKOFF_TOO_LONG for a length of 2^63 or more.
///
/// # Safety
/// `key` points to `length` bytes, `stream` to a word.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_stream_from_key(
    seed: u64,
    key: *const c_void,
    length: u64,
    stream: *mut u64,
) -> u32 {
    if stream.is_null() || (key.is_null() && length > 0) {
        return BACKOFF_NULL_POINTER;
    }
    let length = match length_of(length) {
        Ok(length) => length,
        Err(code) => return code,
    };
    let key = if length == 0 {
        &[]
    } else {
        // SAFETY: not null, and the caller promises `length` bytes.
        unsafe { core::slice::from_raw_parts(key.cast::<u8>(), length) }
    };
    let state = Stream::from_key(seed, key).state();
    // SAFETY: not null, and the caller promises a word there.
    unsafe { stream.write(state) };
    BACKOFF_OK
}

/// Writes a stream that nobody else has, from the operating system. A process that forks must
/// ask again in the child, or both wait the same.
///
/// Fails with BACKOFF_NULL_POINTER or BACKOFF_NO_ENTROPY.
///
/// # Safety
/// `stream` points to a word.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_stream_from_entropy(stream: *mut u64) -> u32 {
    if stream.is_null() {
        return BACKOFF_NULL_POINTER;
    }
    match Stream::from_entropy() {
        Ok(drawn) => {
            // SAFETY: not null, and the caller promises a word there.
            unsafe { stream.write(drawn.state()) };
            BACKOFF_OK
        }
        Err(_) => BACKOFF_NO_ENTROPY,
    }
}

/// The random word of an index of a stream: SplitMix64, counted (SPEC 2.1).
#[unsafe(no_mangle)]
pub extern "C" fn backoff_draw(stream: u64, index: u32) -> u64 {
    Stream::from_seed(stream).draw(index)
}

/// The stream whose draw of index 0 is this stream's draw of index `draws`: where a reset goes
/// after so many delays (SPEC 9.2).
#[unsafe(no_mangle)]
pub extern "C" fn backoff_advance(stream: u64, draws: u64) -> u64 {
    Stream::from_seed(stream).advance(draws).state()
}
