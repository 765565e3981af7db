//! What the formulas read of a policy, as few plain numbers: the arguments of functions that need no
//! memory.

use crate::number::ratio::Ratio;
use crate::policy::Policy;
use crate::random::stream::RandomStream;
use crate::schedule::{Parameters, plain};

/// The numbers from which [`formula_delay_ns`] and [`formula_window_ns`] compute what those methods
/// of the policy do.
///
/// ```
/// use backoff_core::ffi::{formula, formula_delay_ns, formula_window_ns};
/// use backoff_core::{Policy, RandomStream};
/// for text in ["full:base=100ms,cap=20s", "linear:base=1s,increment=2s,jitter=20%"] {
///     let policy = Policy::parse(text)?;
///     let (stream, numbers) = (RandomStream::from_seed(42), formula(&policy));
///     for index in [0, 3, 4096] {
///         assert_eq!(formula_delay_ns(numbers, stream, index), policy.delay_ns(stream, index));
///         assert_eq!(formula_window_ns(numbers, index), policy.window_ns(index));
///     }
/// }
/// # Ok::<(), backoff_core::ParseError>(())
/// ```
#[must_use]
pub fn formula(policy: &Policy) -> [u64; 8] {
    let of = policy.0;
    let kinds = [of.growth, of.jitter, of.cap_on, of.power, of.plain];
    let kinds = kinds
        .iter()
        .rev()
        .fold(0, |kinds: u64, &kind| kinds.wrapping_shl(KIND_BITS) | u64::from(kind) & KIND_MASK);
    // No policy uses two of the fields that share a number, and the other fields are 0.
    [
        kinds,
        of.base,
        of.increment | of.multiplier.to_value() | of.origin,
        of.offset,
        of.cap,
        of.floor,
        of.jitter_below.to_value() | of.jitter_max | of.jitter_slot,
        of.jitter_above.to_value() | of.jitter_increment,
    ]
}

const KIND_BITS: u32 = 8;
const KIND_MASK: u64 = 0xFF;
const PLAIN: u64 = 1 << (4 * KIND_BITS);

/// [`Policy::delay_ns`] of such numbers.
#[must_use]
#[inline]
pub fn formula_delay_ns(formula: [u64; 8], stream: RandomStream, index: u32) -> u64 {
    let [kinds, base, growth, offset, cap, floor, jitter, above] = formula;
    if kinds & PLAIN != 0 {
        return plain::delay(plain::window(base, cap, index), stream.draw(index));
    }
    any_delay_ns(kinds, base, growth, offset, cap, floor, jitter, above, stream, index)
}

/// The numbers are separate arguments, because an array would be in memory.
#[expect(clippy::too_many_arguments, reason = "as many as a formula has")]
#[inline(never)]
fn any_delay_ns(
    kinds: u64,
    base: u64,
    growth: u64,
    offset: u64,
    cap: u64,
    floor: u64,
    jitter: u64,
    above: u64,
    stream: RandomStream,
    index: u32,
) -> u64 {
    policy([kinds, base, growth, offset, cap, floor, jitter, above]).delay_ns(stream, index)
}

/// [`Policy::window_ns`] of such numbers.
#[must_use]
#[inline]
pub fn formula_window_ns(formula: [u64; 8], index: u32) -> u64 {
    policy(formula).window_ns(index)
}

/// A policy with these numbers and without limits, for the general formulas.
#[inline]
fn policy(formula: [u64; 8]) -> Policy {
    let [kinds, base, of_growth, offset, cap, floor, of_jitter, above] = formula;
    let kind =
        |position: u32| (kinds.wrapping_shr(position.wrapping_mul(KIND_BITS)) & KIND_MASK) as u32;
    Policy(Parameters {
        growth: kind(0),
        jitter: kind(1),
        cap_on: kind(2),
        power: kind(3),
        base,
        increment: of_growth,
        multiplier: Ratio::from_reduced(of_growth),
        origin: of_growth,
        offset,
        cap,
        floor,
        jitter_below: Ratio::from_reduced(of_jitter),
        jitter_above: Ratio::from_reduced(above),
        jitter_max: of_jitter,
        jitter_increment: above,
        jitter_slot: of_jitter,
        max_retries: 0,
        max_elapsed: 0,
        throttled_base: 0,
        retry_after_max: 0,
        retry_after_max_extra: 0,
        retry_after: 0,
        plain: 0,
    })
}
