//! Functions of the WebAssembly module that `backoff.h` does not have. It is translated to Go, where a
//! function over numbers alone is a plain function that needs no memory, and where a key may be
//! longer than the memory.
//!
//! The *formula* of a policy is 8 numbers: its kinds and the fields that a delay depends on. Its *numbers*
//! are these and 6 more, for decisions. A *sequence* is the state between two delays. The window of a
//! *plain* policy doubles up to the cap, and its jitter is full: it has shorter functions.

#![expect(clippy::too_many_arguments, reason = "numbers in registers are the purpose")]

use core::ffi::c_char;

use backoff_core::RandomStream;
use backoff_core::ffi::{self, KeyHasher, POLICY_NUMBERS};

use crate::exported::{exported, required};
use crate::operation::{BACKOFF_NONE, optional_ns};
use crate::policy::{PolicyHandle, backoff_policy};
use crate::text::bytes_at;

/// Writes the numbers of a policy: 8 of its formula, which the functions below take, and
/// max_retries, max_elapsed, throttled_base, retry_after_max, retry_after_max_extra and retry_after.
///
/// # Safety
/// `policy` points to a policy, `numbers` to 14 numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_policy_to_numbers(
    policy: *const backoff_policy,
    numbers: *mut [u64; POLICY_NUMBERS],
) -> u32 {
    exported!({
        let numbers = required(numbers)?;
        numbers.write(ffi::policy_to_numbers(PolicyHandle::get(policy)?));
        Ok(())
    })
}

/// Makes the policy of its numbers.
///
/// # Safety
/// `policy` points to a policy, `numbers` to 14 numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_policy_from_numbers(
    policy: *mut backoff_policy,
    numbers: *const [u64; POLICY_NUMBERS],
) -> u32 {
    exported!({
        let policy = required(policy)?;
        let numbers = required(numbers.cast_mut())?;
        PolicyHandle::init(policy, ffi::policy_from_numbers(numbers.read()));
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

/// Returns 1 if the delays of a policy are those of the next three functions, otherwise 0.
#[unsafe(no_mangle)]
pub extern "C" fn backoff_formula_is_plain(kinds: u64) -> u32 {
    ffi::formula_is_plain(kinds).into()
}

/// Returns the window of an index under a plain policy, in ns.
#[unsafe(no_mangle)]
pub extern "C" fn backoff_plain_window_ns(base: u64, cap: u64, index: u32) -> u64 {
    ffi::plain_window_ns(base, cap, index)
}

/// Returns the window after a window under a plain policy, in ns.
#[unsafe(no_mangle)]
pub extern "C" fn backoff_plain_next_window_ns(window: u64, cap: u64) -> u64 {
    ffi::plain_next_window_ns(window, cap)
}

/// Returns the delay of an index under a plain policy from its window and its draw, in ns. These are
/// separate functions, because Go inlines small ones only.
#[unsafe(no_mangle)]
pub extern "C" fn backoff_plain_delay_ns(window: u64, draw: u64) -> u64 {
    ffi::plain_delay_ns(window, draw)
}

/// Returns the delay of the next index of a sequence, in ns. `current` is the state of the sequence,
/// at first the base.
#[unsafe(no_mangle)]
pub extern "C" fn backoff_sequence_delay_ns(
    kinds: u64,
    base: u64,
    growth: u64,
    offset: u64,
    cap: u64,
    floor: u64,
    jitter: u64,
    above: u64,
    current: u64,
    stream: u64,
    index: u32,
) -> u64 {
    let formula = [kinds, base, growth, offset, cap, floor, jitter, above];
    ffi::sequence_delay_ns(formula, current, RandomStream::from_seed(stream), index)
}

/// Returns the state of a sequence after a delay.
#[unsafe(no_mangle)]
pub extern "C" fn backoff_sequence_current(
    kinds: u64,
    base: u64,
    growth: u64,
    cap: u64,
    current: u64,
    next: u64,
    index: u32,
    delay_ns: u64,
) -> u64 {
    let formula = [kinds, base, growth, 0, cap, 0, 0, 0];
    ffi::sequence_state(formula, [current, next], index, delay_ns)[0]
}

/// Returns the second number of that state, at first the base, too.
#[unsafe(no_mangle)]
pub extern "C" fn backoff_sequence_next(kinds: u64, current: u64, next: u64) -> u64 {
    ffi::sequence_state([kinds, 0, 0, 0, 0, 0, 0, 0], [current, next], 0, 0)[1]
}

/// Returns the delay that an operation without a budget decides after `retries` retries
/// (SPEC 13.4), or BACKOFF_NONE if it stops without one.
#[unsafe(no_mangle)]
pub extern "C" fn backoff_decision_delay_ns(
    kinds: u64,
    base: u64,
    growth: u64,
    offset: u64,
    cap: u64,
    floor: u64,
    jitter: u64,
    above: u64,
    max_retries: u64,
    throttled_base: u64,
    retry_after_max: u64,
    retry_after_max_extra: u64,
    retry_after: u64,
    stream: u64,
    retries: u64,
    outcome: u32,
    retry_after_ns: u64,
) -> u64 {
    let numbers = [
        kinds,
        base,
        growth,
        offset,
        cap,
        floor,
        jitter,
        above,
        max_retries,
        0,
        throttled_base,
        retry_after_max,
        retry_after_max_extra,
        retry_after,
    ];
    let stream = RandomStream::from_seed(stream);
    ffi::outcome_from_number(outcome)
        .and_then(|outcome| {
            ffi::decision_delay_ns(numbers, stream, retries, outcome, optional_ns(retry_after_ns))
        })
        .unwrap_or(BACKOFF_NONE)
}

/// Returns the reason to stop of the decision with such a delay, or 0 to wait.
#[unsafe(no_mangle)]
pub extern "C" fn backoff_decision_reason(
    outcome: u32,
    delay_ns: u64,
    max_elapsed_ns: u64,
    began_ns: u64,
    deadline_ns: u64,
    now_ns: u64,
) -> u32 {
    let (delay, deadline) = (optional_ns(delay_ns), optional_ns(deadline_ns));
    ffi::outcome_from_number(outcome)
        .and_then(|outcome| {
            ffi::decision_reason(outcome, delay, max_elapsed_ns, began_ns, deadline, now_ns)
        })
        .map_or(0, |reason| reason as u32)
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
