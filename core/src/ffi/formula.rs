//! A policy as few plain numbers, and functions of such numbers that need no memory.

use crate::decision::failure::{delay_ns, exceeded};
use crate::decision::outcome::{Outcome, StopReason};
use crate::field::kind::{ADDITIVE, EXPONENTIAL, LINEAR, POLYNOMIAL, SLOTTED};
use crate::number::ratio::Ratio;
use crate::policy::Policy;
use crate::random::stream::RandomStream;
use crate::schedule::state::DelayState;
use crate::schedule::{Parameters, plain};

/// The length of [`policy_to_numbers`].
pub const POLICY_NUMBERS: usize = 14;

/// A policy as plain numbers: the formula of its delays, and what else its decisions depend on. Equal
/// policies have equal numbers.
///
/// ```
/// use backoff_core::Policy;
/// use backoff_core::ffi::{policy_from_numbers, policy_to_numbers};
/// for text in ["linear:base=1s,increment=2s,jitter=20%", "ethernet", "aws-sdk-2026", "none"] {
///     let policy = Policy::parse(text)?;
///     assert_eq!(policy_from_numbers(policy_to_numbers(&policy)), policy);
/// }
/// # Ok::<(), backoff_core::ParseError>(())
/// ```
#[must_use]
pub fn policy_to_numbers(policy: &Policy) -> [u64; POLICY_NUMBERS] {
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
        of.max_retries,
        of.max_elapsed,
        of.throttled_base,
        of.retry_after_max,
        of.retry_after_max_extra,
        of.retry_after.into(),
    ]
}

/// The policy of such numbers.
#[must_use]
#[inline]
pub fn policy_from_numbers(numbers: [u64; POLICY_NUMBERS]) -> Policy {
    let [kinds, base, growth, offset, cap, floor, jitter, above, ..] = numbers;
    let [.., max_retries, max_elapsed, throttled_base, most, most_extra, retry_after] = numbers;
    let Policy(of) = policy([kinds, base, growth, offset, cap, floor, jitter, above]);
    let unless = |unused: bool, value: u64| if unused { 0 } else { value };
    let ratio_unless = |unused, ratio: Ratio| Ratio::from_reduced(unless(unused, ratio.to_value()));
    let is_width = of.jitter == ADDITIVE || of.jitter == SLOTTED;
    Policy(Parameters {
        increment: unless(of.growth != LINEAR, of.increment),
        multiplier: ratio_unless(of.growth != EXPONENTIAL, of.multiplier),
        origin: unless(of.growth != POLYNOMIAL, of.origin),
        jitter_below: ratio_unless(is_width, of.jitter_below),
        jitter_above: ratio_unless(is_width, of.jitter_above),
        jitter_max: unless(of.jitter != ADDITIVE, of.jitter_max),
        jitter_increment: unless(of.jitter != ADDITIVE, of.jitter_increment),
        jitter_slot: unless(of.jitter != SLOTTED, of.jitter_slot),
        max_retries,
        max_elapsed,
        throttled_base,
        retry_after_max: most,
        retry_after_max_extra: most_extra,
        retry_after: (retry_after & KIND_MASK) as u32,
        plain: formula_is_plain(kinds).into(),
        ..of
    })
}

const KIND_BITS: u32 = 8;
const KIND_MASK: u64 = 0xFF;

/// [`Policy::delay_ns`] of the first 8 numbers.
#[must_use]
#[inline]
pub fn formula_delay_ns(formula: [u64; 8], stream: RandomStream, index: u32) -> u64 {
    let [kinds, base, growth, offset, cap, floor, jitter, above] = formula;
    if formula_is_plain(kinds) {
        return plain_delay_ns(plain_window_ns(base, cap, index), stream.draw(index));
    }
    any_delay_ns(kinds, base, growth, offset, cap, floor, jitter, above, stream, index)
}

const PLAIN: u64 = 1 << (4 * KIND_BITS);

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

/// Whether the delays of the policy are those of [`plain_delay_ns`]. `kinds` is the first number.
#[must_use]
#[inline]
pub const fn formula_is_plain(kinds: u64) -> bool {
    kinds & PLAIN != 0
}

/// [`Policy::window_ns`] of a plain policy.
#[must_use]
#[inline]
pub fn plain_window_ns(base: u64, cap: u64, index: u32) -> u64 {
    plain::window(base, cap, index)
}

/// The window after this one under a plain policy.
#[must_use]
#[inline]
pub fn plain_next_window_ns(window: u64, cap: u64) -> u64 {
    plain::next_window(window, cap)
}

/// [`Policy::delay_ns`] of a plain policy, from the window and the draw of the index.
#[must_use]
#[inline]
pub fn plain_delay_ns(window: u64, draw: u64) -> u64 {
    plain::delay(window, draw)
}

/// The delay of the next index of a sequence. `current` is its state, at first the base.
#[must_use]
#[inline]
pub fn sequence_delay_ns(formula: [u64; 8], current: u64, stream: RandomStream, index: u32) -> u64 {
    let state = DelayState::from_words([current, 0]);
    state.delay(&policy(formula).0, index.into(), stream.draw(index))
}

/// The state of a sequence after a delay. Both numbers of the state begin as the base.
#[must_use]
#[inline]
pub fn sequence_state(formula: [u64; 8], state: [u64; 2], index: u32, delay_ns: u64) -> [u64; 2] {
    let mut state = DelayState::from_words(state);
    state.advance_with(&policy(formula).0, index.into(), delay_ns);
    state.to_words()
}

/// [`Policy::window_ns`] of the first 8 numbers.
#[must_use]
#[inline]
pub fn formula_window_ns(formula: [u64; 8], index: u32) -> u64 {
    policy(formula).window_ns(index)
}

/// The delay that an operation without a budget decides after `retries` retries, or `None` if it stops
/// without one.
#[must_use]
#[inline]
pub fn decision_delay_ns(
    numbers: [u64; POLICY_NUMBERS],
    stream: RandomStream,
    retries: u64,
    outcome: Outcome,
    retry_after_ns: Option<u64>,
) -> Option<u64> {
    if matches!(outcome, Outcome::Success | Outcome::Permanent) {
        return None;
    }
    let [kinds, _, growth, offset, cap, floor, jitter, above, ..] = numbers;
    let policy = policy_from_numbers(numbers);
    let index = policy.retry_index(retries)?;
    let delay_of = |base| {
        formula_delay_ns([kinds, base, growth, offset, cap, floor, jitter, above], stream, index)
    };
    Some(delay_ns(&policy.0, outcome, retry_after_ns, delay_of, || stream.draw(index)))
}

/// Why the operation of [`decision_delay_ns`] stops, or `None` if it waits.
#[must_use]
#[inline]
pub fn decision_reason(
    outcome: Outcome,
    delay_ns: Option<u64>,
    max_elapsed_ns: u64,
    began_ns: u64,
    deadline_ns: Option<u64>,
    now_ns: u64,
) -> Option<StopReason> {
    match (outcome, delay_ns) {
        (Outcome::Success, _) => Some(StopReason::Success),
        (Outcome::Permanent, _) => Some(StopReason::Permanent),
        (_, None) => Some(StopReason::MaxRetries),
        (_, Some(delay_ns)) => exceeded(max_elapsed_ns, began_ns, deadline_ns, now_ns, delay_ns),
    }
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

#[cfg(test)]
mod tests {
    use super::{
        decision_delay_ns, decision_reason, formula_delay_ns, formula_is_plain, formula_window_ns,
        policy_from_numbers, policy_to_numbers, sequence_delay_ns, sequence_state,
    };
    use crate::policy::Policy;
    use crate::random::stream::RandomStream;

    const POLICIES: [(&str, bool); 10] = [
        ("full:base=100ms,cap=20s", true),
        ("constant:base=1s,jitter=20%", false),
        ("linear:base=1s,increment=2s,jitter=additive,jitter_max=1s,jitter_increment=1ms", false),
        ("polynomial:base=1s,power=3,origin=7,offset=1ms,cap=1h,floor=1s", false),
        ("exponential:base=1s,multiplier=1.6,cap=2m,jitter=20%", false),
        ("fibonacci:base=1s,jitter=proportional,jitter_below=1/3,jitter_above=7/9", false),
        ("decorrelated:base=100ms,cap=20s", false),
        ("decorrelated:base=100ms,cap=20s,multiplier=2", false),
        ("ethernet", false),
        (
            "default:throttled_base=1s,max_elapsed=1m,retry_after=spread,retry_after_max_extra=5s",
            true,
        ),
    ];

    #[test]
    fn numbers_are_the_policy() {
        for (text, is_plain) in POLICIES {
            let policy = Policy::parse(text).unwrap();
            let numbers = policy_to_numbers(&policy);
            assert_eq!(policy_from_numbers(numbers), policy, "{text}");
            assert_eq!(formula_is_plain(numbers[0]), is_plain, "{text}");
            let (stream, formula) = (RandomStream::from_seed(42), *numbers.first_chunk().unwrap());
            for index in [0, 3, 4096] {
                let delay = formula_delay_ns(formula, stream, index);
                assert_eq!(delay, policy.delay_ns(stream, index), "{text}");
                assert_eq!(formula_window_ns(formula, index), policy.window_ns(index), "{text}");
            }
            let mut state = [numbers[1]; 2];
            for index in 0..5000 {
                let delay = sequence_delay_ns(formula, state[0], stream, index);
                assert_eq!(delay, policy.delay_ns(stream, index), "{text}, {index}");
                state = sequence_state(formula, state, index, delay);
            }
        }
    }

    #[test]
    fn decisions_are_those_of_an_operation() {
        use crate::decision::operation::Operation;
        use crate::decision::outcome::{Decision, Outcome};
        for (text, _) in POLICIES {
            for outcome in Outcome::ALL {
                for (retry_after, deadline) in
                    [(None, None), (Some(3_000_000_000), Some(9_000_000_000))]
                {
                    let policy = Policy::parse(text).unwrap();
                    let (stream, numbers) =
                        (RandomStream::from_seed(42), policy_to_numbers(&policy));
                    let mut operation = Operation::begin(policy, stream, 7, deadline, None);
                    for retries in 0..8 {
                        let now = 7 + 1_000_000_000 * retries;
                        let delay =
                            decision_delay_ns(numbers, stream, retries, *outcome, retry_after);
                        let reason = decision_reason(*outcome, delay, numbers[9], 7, deadline, now);
                        let decision = reason.map_or(
                            Decision::Wait { delay_ns: delay.unwrap_or_default() },
                            |reason| Decision::Stop { reason, delay_ns: delay.unwrap_or_default() },
                        );
                        let expected = operation.decide(*outcome, retry_after, now, None);
                        assert_eq!(decision, expected, "{text}, {outcome:?}, {retries}");
                        if reason.is_some() {
                            break;
                        }
                    }
                }
            }
        }
    }
}
