//! What only the WebAssembly module has, and `backoff.h` does not. It is translated to Go, where a
//! function over numbers alone is a plain function that needs no memory, and where a key may be
//! longer than the memory.

#![expect(clippy::too_many_arguments, reason = "numbers in registers are the purpose")]

use core::ffi::c_char;

use backoff_core::RandomStream;
use backoff_core::ffi::{self, KeyHasher};

use crate::exported::{exported, required};
use crate::policy::{PolicyHandle, backoff_policy};
use crate::text::bytes_at;

/// Writes the 8 numbers of a policy that the next two functions take.
///
/// # Safety
/// `policy` points to a policy, `formula` to 8 numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_policy_formula(
    policy: *const backoff_policy,
    formula: *mut [u64; 8],
) -> u32 {
    exported!({
        let formula = required(formula)?;
        formula.write(ffi::formula(PolicyHandle::get(policy)?));
        Ok(())
    })
}

/// Returns the delay of an index of a stream, in ns.
#[unsafe(no_mangle)]
pub extern "C" fn backoff_formula_delay_ns(
    kinds: u64,
    base: u64,
    growth: u64,
    offset: u64,
    cap: u64,
    floor: u64,
    jitter: u64,
    above: u64,
    stream: u64,
    index: u32,
) -> u64 {
    let formula = [kinds, base, growth, offset, cap, floor, jitter, above];
    ffi::formula_delay_ns(formula, RandomStream::from_seed(stream), index)
}

/// Returns the window of an index, in ns.
#[unsafe(no_mangle)]
pub extern "C" fn backoff_formula_window_ns(
    kinds: u64,
    base: u64,
    growth: u64,
    offset: u64,
    cap: u64,
    index: u32,
) -> u64 {
    ffi::formula_window_ns([kinds, base, growth, offset, cap, 0, 0, 0], index)
}

/// Returns the stream of number `n` under a seed.
#[unsafe(no_mangle)]
pub extern "C" fn backoff_stream_of_number(seed: u64, n: u64) -> u64 {
    RandomStream::nth(seed, n).state()
}

/// Begins the hash of a key under a seed.
///
/// # Safety
/// `hasher` points to a hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_key_begin(hasher: *mut KeyHasher, seed: u64) -> u32 {
    exported!({
        required(hasher)?.write(KeyHasher::new(seed));
        Ok(())
    })
}

/// Appends the next part of the key.
///
/// # Safety
/// `hasher` points to a hasher that has begun, `text` to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_key_append(
    hasher: *mut KeyHasher,
    text: *const c_char,
    length: u64,
) -> u32 {
    exported!({
        required(hasher)?.as_mut().update(bytes_at(text, length)?);
        Ok(())
    })
}

/// Writes the stream of the key.
///
/// # Safety
/// `hasher` points to a hasher that has begun, `stream` to one number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_key_stream(hasher: *const KeyHasher, stream: *mut u64) -> u32 {
    exported!({
        required(stream)?.write(required(hasher.cast_mut())?.as_ref().stream().state());
        Ok(())
    })
}
