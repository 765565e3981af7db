//! `backoff_iter`: the delays of a policy, one after the other.

use backoff_core::{Backoff, RandomStream};

use crate::code::{BACKOFF_ERROR_END, backoff_code};
use crate::exported::{exported, required, write_optional};
use crate::handle::Tagged;
use crate::policy::{backoff_policy, policy_at};

/// The delays of a policy one after another: backoff_policy_delay_ns of index 0, 1, 2, ... of one
/// stream. It ends after max_retries delays, so that a loop over it is limited (SPEC 9); it has no
/// clock, so max_elapsed does not concern it.
///
/// A copy continues independently with the same delays. Not thread-safe: give each thread its own
/// iterator with its own stream.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub struct backoff_iter {
    opaque: [u64; 64],
}

type IterHandle = Tagged<Backoff, { u64::from_le_bytes(*b"iterator") }>;

/// Starts the delays of a policy on a stream at index 0. The iterator may have been used before.
/// The policy is copied.
///
/// Callers that share a stream wait for the same times. Give each client or job its own key
/// (backoff_stream_from_key), or use a stream of backoff_stream_from_entropy.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_iter_init(
    iter: *mut backoff_iter,
    policy: *const backoff_policy,
    stream: u64,
) -> backoff_code {
    exported!({
        let iter = required(iter)?;
        let policy = *policy_at(policy)?;
        IterHandle::init(iter, Backoff::new(policy, RandomStream::from_seed(stream)));
        Ok(())
    })
}

/// Writes the next delay, in ns, and moves to the next index.
///
/// Fails with BACKOFF_ERROR_END after max_retries delays (without that limit after index 2^32 - 1).
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_iter_next_ns(
    iter: *mut backoff_iter,
    delay_ns: *mut u64,
) -> backoff_code {
    exported!({
        let delay_ns = required(delay_ns)?;
        delay_ns.write(IterHandle::get_mut(iter)?.next_ns().ok_or(BACKOFF_ERROR_END)?);
        Ok(())
    })
}

/// Starts again at index 0, for use after a success. The delays do not repeat: the stream moves on
/// by the number of delays that were taken (SPEC 9.2). There can be max_retries delays again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_iter_reset(iter: *mut backoff_iter) -> backoff_code {
    exported!({
        IterHandle::get_mut(iter)?.reset();
        Ok(())
    })
}

/// Writes the index of the next delay and the current stream, which changes with every reset. At
/// the end the index is that of backoff_policy_max_retries. Either output may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_iter_index(
    iter: *const backoff_iter,
    index: *mut u64,
    stream: *mut u64,
) -> backoff_code {
    exported!({
        let iter = IterHandle::get(iter)?;
        write_optional(index, iter.index());
        write_optional(stream, iter.stream().state());
        Ok(())
    })
}
