//! What only the WebAssembly module has, from which Go's core is made, and `backoff.h` does not: the numbers
//! of the crate `go-plain`, and keys in parts, because a key may be longer than the memory.

use core::ffi::c_char;

use backoff_core::ffi::{self, KeyHasher};

use crate::code::backoff_code;
use crate::exported::{exported, required};
use crate::operation::BACKOFF_NO_TIME;
use crate::policy::{PolicyHandle, backoff_policy};
use crate::text::bytes_at;

/// Writes the base and the cap of a plain policy, on which its delays depend. Writes BACKOFF_NO_TIME as the
/// cap of another policy.
///
/// # Safety
/// `policy` points to a policy, `base` and `cap` to one number each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_policy_plain(
    policy: *const backoff_policy,
    base: *mut u64,
    cap: *mut u64,
) -> backoff_code {
    exported!({
        let (base, cap) = (required(base)?, required(cap)?);
        let plain = ffi::doubling_base_and_cap(PolicyHandle::get(policy)?);
        let (base_ns, cap_ns) = plain.unwrap_or((0, BACKOFF_NO_TIME));
        base.write(base_ns);
        cap.write(cap_ns);
        Ok(())
    })
}

/// Begins the hash of a key under a seed.
///
/// # Safety
/// `hasher` points to 8 numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_key_begin(hasher: *mut KeyHasher, seed: u64) -> backoff_code {
    exported!({
        required(hasher)?.write(KeyHasher::new(seed));
        Ok(())
    })
}

/// Appends the next part of the key.
///
/// # Safety
/// `hasher` points to a hasher that has begun, `part` to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_key_append(
    hasher: *mut KeyHasher,
    part: *const c_char,
    length: u64,
) -> backoff_code {
    exported!({
        required(hasher)?.as_mut().update(bytes_at(part, length)?);
        Ok(())
    })
}

/// Writes the stream of the key.
///
/// # Safety
/// `hasher` points to a hasher that has begun, `stream` to one number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_key_stream(
    hasher: *const KeyHasher,
    stream: *mut u64,
) -> backoff_code {
    exported!({
        required(stream)?.write(required(hasher.cast_mut())?.as_ref().stream().state());
        Ok(())
    })
}
