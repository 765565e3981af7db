//! The delays and the windows of a policy, in any order.

use backoff_core::RandomStream;

use crate::code::backoff_code;
use crate::exported::{exported, length_of, required};
use crate::policy::{backoff_policy, policy_at};

/// Writes the delay of an index of a stream, in ns, at most BACKOFF_MAX_NS. It is a pure function
/// of the three arguments (SPEC 6): index 0 is the wait before the first retry, and indices can be
/// evaluated in any order. The limits of the policy do not matter: every index has a delay.
///
/// Callers that share a stream wait for the same times. Give each client or job its own key
/// (backoff_stream_from_key).
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_policy_delay_ns(
    policy: *const backoff_policy,
    stream: u64,
    index: u32,
    delay_ns: *mut u64,
) -> backoff_code {
    exported!({
        let delay_ns = required(delay_ns)?;
        let policy = policy_at(policy)?;
        delay_ns.write(policy.delay_ns(RandomStream::from_seed(stream), index));
        Ok(())
    })
}

/// Writes the window of an index, in ns, at most BACKOFF_MAX_NS: the wait before jitter, limited by
/// the cap if the cap is on the window (SPEC 5.3). BACKOFF_JITTER_DECORRELATED does not use it.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_policy_window_ns(
    policy: *const backoff_policy,
    index: u32,
    window_ns: *mut u64,
) -> backoff_code {
    exported!({
        let window_ns = required(window_ns)?;
        window_ns.write(policy_at(policy)?.window_ns(index));
        Ok(())
    })
}

/// Writes the delays of the indices first, first + 1, ... to delays_ns[0], delays_ns[1], ..., in
/// ns: the values of backoff_policy_delay_ns, computed faster. Writes their number to `written`. It
/// is `count`, or fewer if the indices run out first (the last is 2^32 - 1). The limits of the
/// policy do not matter.
///
/// `delays_ns` may be NULL if `count` is 0. Fails with BACKOFF_ERROR_TOO_LONG if `count` numbers do
/// not fit into memory.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_policy_fill_ns(
    policy: *const backoff_policy,
    stream: u64,
    first: u32,
    delays_ns: *mut u64,
    count: u64,
    written: *mut u64,
) -> backoff_code {
    exported!({
        let written = required(written)?;
        let policy = policy_at(policy)?;
        let delays: &mut [u64] = if count == 0 {
            &mut []
        } else {
            let delays_ns = required(delays_ns)?;
            let length = length_of(count.saturating_mul(size_of::<u64>() as u64))?;
            core::slice::from_raw_parts_mut(delays_ns.as_ptr(), length / size_of::<u64>())
        };
        written.write(policy.fill_ns(RandomStream::from_seed(stream), first, delays) as u64);
        Ok(())
    })
}
