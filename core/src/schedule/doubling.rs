//! The formulas of a doubling policy: its window doubles up to the cap, its jitter is full, and it has
//! no offset and no floor.
//!
//! Most policies are of this kind. These are the general formulas without the choices between kinds, which
//! take longer than the arithmetic.

use crate::number::arithmetic::sample;

/// The window of an index.
#[inline]
pub(crate) fn window(base: u64, cap: u64, index: u32) -> u64 {
    let steps = index.min(u64::BITS - 1);
    if base > cap.wrapping_shr(steps) { cap } else { base.wrapping_shl(steps) }
}

/// The window after this one.
#[inline]
pub(crate) fn next_window(window: u64, cap: u64) -> u64 {
    window.wrapping_shl(1).min(cap)
}

/// The delay of a window.
#[inline]
pub(crate) fn delay(window: u64, draw: u64) -> u64 {
    sample(draw, 0, window)
}

#[cfg(test)]
mod tests {
    use super::{delay, next_window, window};
    use crate::number::arithmetic::MAX_NS;
    use crate::policy::Policy;
    use crate::random::stream::RandomStream;

    #[test]
    fn the_delays_are_those_of_the_general_formulas() {
        let stream = RandomStream::from_seed(42);
        for text in [
            "full:base=100ms,cap=20s",
            "full:base=1ns",
            "full:base=0s,cap=0s",
            "full:base=7ns,cap=7ns",
            "full:base=3ns,cap=9223372036854775806ns",
        ] {
            let doubling = Policy::parse(text).unwrap().0;
            assert!(doubling.is_doubling(), "{text}");
            let mut general = doubling;
            general.numbers.doubling = 0;
            let mut running = doubling.base;
            for index in (0..70).chain([u32::MAX]) {
                let (expected, draw) = (Policy(general), stream.draw(index));
                let of_index = window(doubling.base, doubling.cap, index);
                assert_eq!(of_index, expected.window_ns(index), "{text}, {index}");
                assert_eq!(delay(of_index, draw), expected.delay_ns(stream, index), "{text}");
                if index < 70 {
                    assert_eq!(running, of_index, "{text}, {index}");
                    running = next_window(running, doubling.cap);
                }
            }
            assert!(running <= MAX_NS);
        }
    }
}
