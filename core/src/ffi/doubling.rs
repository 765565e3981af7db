//! The delays of a doubling policy, whose window doubles and whose jitter is full, as functions of numbers
//! alone; and what others depend on.

use crate::field::kind::{DECORRELATED, ON_DELAY, SLOTTED};
use crate::number::arithmetic::{self, MAX_NS};
use crate::number::ratio::Ratio;
use crate::policy::Policy;
use crate::random::stream::RandomStream;
use crate::schedule::state::DECORRELATED_PERIOD;
pub use crate::schedule::state::DelayState;
use crate::schedule::{doubling, jitter};

/// The base and the cap of a doubling policy, on which its delays depend, or `None` for another policy.
#[must_use]
pub fn doubling_base_and_cap(policy: &Policy) -> Option<(u64, u64)> {
    policy.0.is_doubling().then_some((policy.0.base, policy.0.cap))
}

/// [`Policy::window_ns`] of a doubling policy.
#[must_use]
#[inline]
pub fn doubling_window_ns(base: u64, cap: u64, index: u32) -> u64 {
    doubling::window(base, cap, index)
}

/// The window after this one under a doubling policy.
#[must_use]
#[inline]
pub fn next_doubling_window_ns(window: u64, cap: u64) -> u64 {
    doubling::next_window(window, cap)
}

/// [`Policy::delay_ns`] of a doubling policy, from the window and the draw of the index.
#[must_use]
#[inline]
pub fn doubling_delay_ns(window: u64, draw: u64) -> u64 {
    doubling::delay(window, draw)
}

/// Writes the ranges from which the draws of the first indices select the delays. Returns how many it wrote, and whether
/// the last one is that of every later index, too. A policy whose delays depend on more than that has none.
pub fn first_ranges_ns(policy: &Policy, ranges: &mut [[u64; 2]]) -> (usize, bool) {
    let policy = &policy.0;
    if matches!(policy.jitter, DECORRELATED | SLOTTED) || policy.cap_on == ON_DELAY {
        return (0, false);
    }
    let mut state = DelayState::start(policy);
    let mut written = 0_usize;
    for range in ranges {
        let index = written as u64;
        (*range, written) = (state.range(policy, index).into(), written.wrapping_add(1));
        if state.is_settled(policy) {
            return (written, true);
        }
        state.advance_with(policy, index, 0);
    }
    (written, false)
}

/// The numbers of a policy of decorrelated jitter, on which its delays depend: the value of its multiplier, its longest
/// window, the shortest end of its range, its longest delay, and its base. `None` for another policy.
#[must_use]
pub fn decorrelated_numbers(policy: &Policy) -> Option<[u64; 5]> {
    let policy = &policy.0;
    let (window, delay) =
        if policy.cap_on == ON_DELAY { (MAX_NS, policy.cap) } else { (policy.cap, MAX_NS) };
    let low = policy.base.max(policy.floor);
    let numbers = [policy.multiplier.to_value(), window, low, delay, policy.base];
    (policy.jitter == DECORRELATED).then_some(numbers)
}

/// [`Policy::delay_ns`] of decorrelated jitter, from these numbers and the delay before.
#[must_use]
#[inline]
pub fn decorrelated_delay_ns(
    [multiplier, window, low, delay, base]: [u64; 5],
    (index, previous): (u32, u64),
    draw: u64,
) -> u64 {
    let restarts = index.is_multiple_of(DECORRELATED_PERIOD);
    let previous = if restarts { base } else { previous };
    let multiplier = Ratio::from_reduced(multiplier);
    let (low, high) = jitter::decorrelated_by(multiplier, window, low, previous);
    arithmetic::sample(draw, low, high).min(delay)
}

/// The delay that a draw selects from a range.
#[must_use]
#[inline]
pub fn sample_ns(draw: u64, low: u64, high: u64) -> u64 {
    arithmetic::sample(draw, low, high)
}

/// Moves the state of a sequence of delays to an index of a stream.
#[inline]
pub fn seek(policy: &Policy, state: &mut DelayState, stream: RandomStream, index: u32) {
    *state = DelayState::start(&policy.0);
    state.skip_to(&policy.0, stream, index);
}

/// [`Policy::delay_ns`] of the index of the state, which moves to the next index.
#[must_use]
#[inline]
pub fn next_delay_ns(policy: &Policy, state: &mut DelayState, index: u32, draw: u64) -> u64 {
    state.next(&policy.0, index.into(), draw)
}

#[cfg(test)]
mod tests {
    use super::{
        DECORRELATED_PERIOD, DelayState, decorrelated_delay_ns, decorrelated_numbers,
        first_ranges_ns, next_delay_ns, sample_ns, seek,
    };
    use crate::policy::Policy;
    use crate::random::stream::RandomStream;

    #[test]
    fn the_delays_are_samples_of_the_ranges() {
        let stream = RandomStream::from_seed(42);
        for (text, expected) in [
            ("exponential:base=100ms,cap=20s,jitter=50%", (9, true)),
            ("exponential:base=1ns,multiplier=3,jitter=1/3,floor=4ns,offset=2ns", (41, true)),
            ("full:base=1ns", (48, false)),
            ("equal:base=1s,cap=1m", (7, true)),
            ("constant:base=1s", (1, true)),
            ("steps:waits=1s/2s/3s,jitter=full", (3, true)),
            ("fibonacci:base=1s,cap=1h", (48, false)),
            ("linear:base=1s,increment=7ns", (48, false)),
            ("constant:base=1s,jitter=additive,jitter_max=1s,jitter_increment=1ms", (48, false)),
            ("decorrelated:base=1s,cap=1m", (0, false)),
            ("constant:base=1s,jitter=slotted,jitter_slot=7ms", (0, false)),
            ("full:base=1s,cap=10s,cap_on=delay", (0, false)),
        ] {
            let (policy, mut ranges) = (Policy::parse(text).unwrap(), [[0; 2]; 48]);
            let (count, settled) = first_ranges_ns(&policy, &mut ranges);
            assert_eq!((count, settled), expected, "{text}");
            for index in (0..60).chain([u32::MAX]) {
                let last = count.saturating_sub(1);
                let at = index as usize;
                if count == 0 || (at > last && !settled) {
                    break;
                }
                let [low, high] = ranges[at.min(last)];
                let delay = sample_ns(stream.draw(index), low, high);
                assert_eq!(delay, policy.delay_ns(stream, index), "{text}, {index}");
            }
        }
    }

    #[test]
    fn a_state_continues_from_any_index() {
        let stream = RandomStream::from_seed(42);
        for text in ["full:base=1ms,cap=1d", "decorrelated:base=1ms,cap=1d", "fibonacci:base=7ns"] {
            let policy = Policy::parse(text).unwrap();
            let mut state = DelayState::start(&policy.0);
            for first in [0, 3, 40] {
                seek(&policy, &mut state, stream, first);
                for index in first..first + 5 {
                    let delay = next_delay_ns(&policy, &mut state, index, stream.draw(index));
                    assert_eq!(delay, policy.delay_ns(stream, index), "{text}, {index}");
                }
            }
        }
    }

    #[test]
    fn decorrelated_delays_need_only_the_delay_before() {
        let stream = RandomStream::from_seed(42);
        for text in [
            "decorrelated:base=1ms,cap=1d",
            "decorrelated:base=1ms",
            "decorrelated:base=7ns,cap=1s,multiplier=8/5,floor=3us",
            "decorrelated:base=1s,cap=1m,cap_on=delay",
        ] {
            let policy = Policy::parse(text).unwrap();
            let (numbers, mut previous) = (decorrelated_numbers(&policy).unwrap(), 0);
            for index in 0..if cfg!(miri) { 40 } else { 9000 } {
                let draw = stream.draw(index);
                previous = decorrelated_delay_ns(numbers, (index, previous), draw);
                // A delay by its index takes as many steps as there are since the last multiple of the period.
                if index % DECORRELATED_PERIOD < 40 || index % 1000 == 0 {
                    assert_eq!(previous, policy.delay_ns(stream, index), "{text}, {index}");
                }
            }
        }
        let full = Policy::parse("full:base=1s").unwrap();
        assert_eq!(decorrelated_numbers(&full), None);
    }
}
