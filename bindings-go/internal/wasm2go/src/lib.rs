//! What Go computes without an instance of the core: delays, streams, and decisions without a budget.
//!
//! The functions of numbers become plain Go, which the compiler inlines: the delay of a doubling policy, whose window
//! doubles and whose jitter is full, takes 2 ns. The others work in a few hundred bytes of their caller.
//! The memory of an instance, to which a policy is copied, takes ten times as long.
//!
//! A delay is the upper half of a product of 128 bits, which is one instruction only with wide arithmetic.
//! The C ABI crate is compiled without that: with it, LLVM 22 reads the sum of two `u128` before it is
//! computed, where a select needs both the sum and its overflow.

use backoff_core::ffi::{self, DelayState, Progress};
use backoff_core::{Decision, Policy, RandomStream};

/// The random number of an index of a stream.
#[unsafe(no_mangle)]
pub extern "C" fn draw(stream: u64, index: u32) -> u64 {
    RandomStream::from_seed(stream).draw(index)
}

/// The stream after a number of draws.
#[unsafe(no_mangle)]
pub extern "C" fn advance(stream: u64, draws: u64) -> u64 {
    RandomStream::from_seed(stream).advance(draws).state()
}

/// The stream of number `n` under a seed.
#[unsafe(no_mangle)]
pub extern "C" fn nth(seed: u64, n: u64) -> u64 {
    RandomStream::nth(seed, n).state()
}

/// The window of an index under a doubling policy, in ns.
#[unsafe(no_mangle)]
pub extern "C" fn doubling_window(base: u64, cap: u64, index: u32) -> u64 {
    ffi::doubling_window_ns(base, cap, index)
}

/// The window after a window under a doubling policy, in ns.
#[unsafe(no_mangle)]
pub extern "C" fn next_doubling_window(window: u64, cap: u64) -> u64 {
    ffi::next_doubling_window_ns(window, cap)
}

/// The delay of an index under a plain policy from its window and its draw, in ns.
#[unsafe(no_mangle)]
pub extern "C" fn doubling_delay(window: u64, draw: u64) -> u64 {
    ffi::doubling_delay_ns(window, draw)
}

/// The delay that a draw selects from a range, in ns.
#[unsafe(no_mangle)]
pub extern "C" fn sample(draw: u64, low: u64, high: u64) -> u64 {
    ffi::sample_ns(draw, low, high)
}

/// Writes the ranges of the first indices and returns how many; negative if the last one is that of every later index,
/// too.
#[unsafe(no_mangle)]
pub extern "C" fn ranges(policy: &Policy, ranges: &mut [[u64; 2]; 32]) -> i32 {
    let (count, settled) = ffi::first_ranges_ns(policy, ranges);
    let count = i32::try_from(count).unwrap_or_default();
    if settled { -count } else { count }
}

/// Writes the numbers of a policy of decorrelated jitter. Returns 0 for another policy.
#[unsafe(no_mangle)]
pub extern "C" fn decorrelated(policy: &Policy, numbers: &mut [u64; 5]) -> u32 {
    let of_policy = ffi::decorrelated_numbers(policy);
    *numbers = of_policy.unwrap_or_default();
    of_policy.is_some().into()
}

/// The delay of an index from these numbers and the delay before, in ns.
#[unsafe(no_mangle)]
pub extern "C" fn decorrelated_delay(
    multiplier: u64,
    window: u64,
    low: u64,
    delay: u64,
    base: u64,
    index: u32,
    previous: u64,
    draw: u64,
) -> u64 {
    ffi::decorrelated_delay_ns([multiplier, window, low, delay, base], (index, previous), draw)
}

/// Moves the state of a sequence of delays to an index of a stream.
#[unsafe(no_mangle)]
pub extern "C" fn seek(policy: &Policy, state: &mut DelayState, stream: u64, index: u32) {
    ffi::seek(policy, state, RandomStream::from_seed(stream), index);
}

/// The delay of the index of the state, in ns. The state moves to the next index.
#[unsafe(no_mangle)]
pub extern "C" fn next(policy: &Policy, state: &mut DelayState, stream: u64, index: u32) -> u64 {
    ffi::next_delay_ns(policy, state, index, draw(stream, index))
}

/// The reason to stop, or 0 to wait for the delay of the index, of an operation without a budget, after an outcome that
/// is not throttled and without a wait that the server asks for.
#[unsafe(no_mangle)]
pub extern "C" fn reason_to_stop(
    outcome: u32,
    retries: u64,
    max_retries: u64,
    began_ns: u64,
    max_elapsed_ns: u64,
    deadline_ns: u64,
    now_ns: u64,
    delay_ns: u64,
) -> u32 {
    let Some(outcome) = ffi::outcome_from_number(outcome) else { return 0 };
    let deadline_ns = (deadline_ns != u64::MAX).then_some(deadline_ns);
    let (retries, elapsed) = ((retries, max_retries), (began_ns, max_elapsed_ns));
    ffi::reason_to_stop(outcome, retries, elapsed, deadline_ns, now_ns, delay_ns)
        .map_or(0, |reason| reason as u32)
}

/// Writes the reason to stop, or 0 to wait, and the delay, of an operation without a budget.
#[unsafe(no_mangle)]
pub extern "C" fn decide(
    policy: &Policy,
    decision: &mut [u64; 2],
    stream: u64,
    retries: u64,
    began_ns: u64,
    deadline_ns: u64,
    outcome: u32,
    retry_after_ns: u64,
    now_ns: u64,
) {
    let Some(outcome) = ffi::outcome_from_number(outcome) else { return };
    let optional = |ns: u64| (ns != u64::MAX).then_some(ns);
    let stream = RandomStream::from_seed(stream);
    let mut progress = Progress::resume(stream, retries, began_ns, optional(deadline_ns));
    let decided =
        progress.decide(ffi::schedule(policy), outcome, optional(retry_after_ns), now_ns, None);
    *decision = written(decided);
}

/// The reason to stop, or 0 to wait, and the delay.
fn written(decision: Decision) -> [u64; 2] {
    [decision.stop_reason().map_or(0, |reason| reason as u64), decision.delay_ns()]
}

/// Begins an operation without a budget.
#[unsafe(no_mangle)]
pub extern "C" fn begin(progress: &mut Progress, stream: u64, now_ns: u64, deadline_ns: u64) {
    let deadline_ns = (deadline_ns != u64::MAX).then_some(deadline_ns);
    *progress = Progress::begin(RandomStream::from_seed(stream), now_ns, deadline_ns, None);
}

/// `decide` for an operation that has begun, with a delay of the caller or 2^64 - 1.
#[unsafe(no_mangle)]
pub extern "C" fn proceed(
    policy: &Policy,
    progress: &mut Progress,
    decision: &mut [u64; 2],
    outcome: u32,
    own_delay_ns: u64,
    retry_after_ns: u64,
    now_ns: u64,
) {
    let Some(outcome) = ffi::outcome_from_number(outcome) else { return };
    let optional = |ns: u64| (ns != u64::MAX).then_some(ns);
    let (hint, own) = (optional(retry_after_ns), optional(own_delay_ns));
    *decision = written(progress.decide_with_delay(
        ffi::schedule(policy),
        outcome,
        hint,
        own,
        now_ns,
        None,
    ));
}

/// The limit of an attempt that begins now, in ns; 2^64 - 1 for none.
#[unsafe(no_mangle)]
pub extern "C" fn attempt_limit(policy: &Policy, progress: &Progress, now_ns: u64) -> u64 {
    progress.attempt_limit_ns(ffi::schedule(policy), now_ns).unwrap_or(u64::MAX)
}

/// The time of an attempt that begins now until the first of all limits, in ns; 2^64 - 1 for none.
#[unsafe(no_mangle)]
pub extern "C" fn time_left(policy: &Policy, progress: &Progress, now_ns: u64) -> u64 {
    progress.time_left_ns(ffi::schedule(policy), now_ns).unwrap_or(u64::MAX)
}

/// The index of the delay if the attempt fails now.
#[unsafe(no_mangle)]
pub extern "C" fn retry_index(policy: &Policy, progress: &Progress, now_ns: u64) -> u64 {
    progress.retry_index(ffi::schedule(policy), now_ns)
}
