//! Streams: the randomness of one caller, from a seed and a key or from entropy (SPEC 3).

use core::ffi::c_void;

use backoff_core::RandomStream;

use crate::code::backoff_code;
#[cfg(not(target_family = "wasm"))]
use crate::entropy::random_number;
use crate::exported::{exported, required};
use crate::text::bytes_at;

/// Writes the stream of a seed and a key, such as a job ID or a client name. Every language
/// computes the same stream from the same two (SPEC 3.2). The key is `length` bytes, UTF-8 if it is
/// text. A key of 0 bytes is a key, the empty one, and `key` may then be NULL.
///
/// Without a key, do not call this: the stream is then the seed itself. All clients with the same seed and no key
/// retry in lockstep, so give each client or job its own key.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_stream_from_key(
    seed: u64,
    key: *const c_void,
    length: u64,
    stream: *mut u64,
) -> backoff_code {
    exported!({
        let stream = required(stream)?;
        stream.write(RandomStream::from_key(seed, bytes_at(key.cast(), length)?).state());
        Ok(())
    })
}

/// Writes an unpredictable stream from the operating system. Two calls give different streams. A
/// process that forks must call it again in the child; otherwise parent and child retry in
/// lockstep.
///
/// Fails with BACKOFF_ERROR_NO_ENTROPY.
#[cfg(not(target_family = "wasm"))]
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_stream_from_entropy(stream: *mut u64) -> backoff_code {
    exported!({
        let stream = required(stream)?;
        stream.write(random_number()?);
        Ok(())
    })
}

/// Writes the stream of number `n` under a seed (SPEC 3.4). A program that runs many loops can take
/// one seed from backoff_stream_from_entropy, count its loops, and give each the stream of its
/// number: no loop then asks the operating system.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_stream_nth(seed: u64, n: u64, stream: *mut u64) -> backoff_code {
    exported!({
        required(stream)?.write(RandomStream::nth(seed, n).state());
        Ok(())
    })
}
