//! The state of a sequence of delays: what the next delay needs from those before it.

use crate::field::kind::{ADDITIVE, DECORRELATED, LINEAR, ON_DELAY, POLYNOMIAL, SLOTTED};
use crate::number::arithmetic::{multiply, sample};
use crate::random::stream::RandomStream;
use crate::schedule::growth::GrowthState;
use crate::schedule::{Schedule, doubling, jitter};

/// Decorrelated jitter restarts from the base at every multiple of this index, so that any index
/// is at most this many steps away (SPEC 6.3).
pub(crate) const DECORRELATED_PERIOD: u32 = 4096;

/// Whether a batch stops computing a range that stays the same. Off in WebAssembly, because the code for
/// it would make the download larger.
const SETTLES: bool = cfg!(not(target_family = "wasm"));

/// The state of a policy at an index.
///
/// Decorrelated jitter grows from the previous delay, not from the window: `growth.current` is
/// then that delay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct DelayState {
    growth: GrowthState,
}

impl DelayState {
    #[inline]
    pub(crate) fn start(policy: &impl Schedule) -> Self {
        Self { growth: GrowthState::start(policy) }
    }

    /// The state at an index of a stream.
    #[cfg_attr(not(target_family = "wasm"), inline)]
    pub(crate) fn at(policy: &impl Schedule, stream: RandomStream, index: u32) -> Self {
        let mut state = Self::start(policy);
        state.skip_to(policy, stream, index);
        state
    }

    /// Moves from the start to an index of a stream.
    #[cfg_attr(not(target_family = "wasm"), inline)]
    pub(crate) fn skip_to(&mut self, policy: &impl Schedule, stream: RandomStream, index: u32) {
        if policy.jitter == DECORRELATED {
            self.draw_to(policy, stream, index);
        } else {
            self.growth.skip_to(policy, index);
        }
    }

    /// Draws all delays before an index.
    // Out of line, so that the other jitters have short code.
    #[cfg_attr(not(target_family = "wasm"), inline(never))]
    fn draw_to(&mut self, policy: &impl Schedule, stream: RandomStream, index: u32) {
        let restart = index.wrapping_sub(index.wrapping_rem(DECORRELATED_PERIOD));
        for index in restart..index {
            self.next(policy, index.into(), stream.draw(index));
        }
    }

    /// The range from which the draw selects: of delays before a cap on the delay, or of slots.
    #[cfg_attr(
        not(target_family = "wasm"),
        expect(clippy::inline_always, reason = "a call takes longer")
    )]
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    #[cfg_attr(target_family = "wasm", inline)]
    pub(crate) fn range(&self, policy: &impl Schedule, index: u64) -> (u64, u64) {
        if policy.jitter == DECORRELATED {
            jitter::decorrelated(policy, self.growth.current)
        } else {
            jitter::range(policy, self.growth.window(policy, index), index)
        }
    }

    /// The delay at this index.
    #[cfg_attr(not(target_family = "wasm"), inline(never))]
    #[cfg_attr(target_family = "wasm", inline)]
    pub(crate) fn delay(&self, policy: &impl Schedule, index: u64, draw: u64) -> u64 {
        let (low, high) = self.range(policy, index);
        delay_of_sample(policy, sample(draw, low, high))
    }

    /// Returns the delay at this index and moves to the next index.
    #[cfg_attr(
        not(target_family = "wasm"),
        expect(clippy::inline_always, reason = "a call takes longer")
    )]
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    #[cfg_attr(target_family = "wasm", inline)]
    pub(crate) fn next(&mut self, policy: &impl Schedule, index: u64, draw: u64) -> u64 {
        let delay = self.delay(policy, index, draw);
        self.advance_with(policy, index, delay);
        delay
    }

    /// [`DelayState::next`] of a doubling policy.
    #[inline]
    pub(crate) fn next_of_plain(&mut self, policy: &impl Schedule, draw: u64) -> u64 {
        let window = self.growth.current;
        self.growth.current = doubling::next_window(window, policy.cap);
        doubling::delay(window, draw)
    }

    /// Writes the delays of a stream from this index on, and moves to the index after them.
    pub(crate) fn fill(
        &mut self,
        policy: &impl Schedule,
        mut stream: RandomStream,
        mut index: u64,
        delays: &mut [u64],
    ) {
        stream = stream.advance(index);
        let mut delays = delays.iter_mut();
        if policy.is_doubling() {
            while !(SETTLES && self.growth.current == policy.cap) {
                let Some(delay) = delays.next() else { return };
                // The window does not depend on the index.
                *delay = self.next_of_plain(policy, stream.draw(0));
                stream = stream.advance(1);
            }
        } else {
            while !(SETTLES && self.is_settled(policy)) {
                let Some(delay) = delays.next() else { return };
                *delay = self.next(policy, index, stream.draw(0));
                (index, stream) = (index.wrapping_add(1), stream.advance(1));
            }
        }
        let (delays, (low, high)) = (delays.into_slice(), self.range(policy, index));
        fill_samples(stream, low, high, delays);
        if policy.jitter == SLOTTED || policy.cap_on == ON_DELAY {
            for delay in delays {
                *delay = delay_of_sample(policy, *delay);
            }
        }
    }

    /// Whether the range is that of every later index, too.
    pub(crate) fn is_settled(&self, policy: &impl Schedule) -> bool {
        let mut next = self.growth;
        !matches!(policy.growth, LINEAR | POLYNOMIAL)
            && !matches!(policy.jitter, ADDITIVE | DECORRELATED)
            && {
                next.advance(policy);
                next == self.growth
            }
    }

    /// Moves to the next index after a delay.
    #[inline]
    pub(crate) fn advance_with(&mut self, policy: &impl Schedule, index: u64, delay: u64) {
        if policy.jitter == DECORRELATED {
            let restarts = index.wrapping_add(1).is_multiple_of(DECORRELATED_PERIOD.into());
            self.growth.current = if restarts { policy.base } else { delay };
        } else {
            self.growth.advance(policy);
        }
    }
}

/// The delay of what a draw selected from the range.
#[inline]
fn delay_of_sample(policy: &impl Schedule, sample: u64) -> u64 {
    let delay =
        if policy.jitter == SLOTTED { multiply(policy.jitter_slot, sample) } else { sample };
    if policy.cap_on == ON_DELAY { delay.min(policy.cap) } else { delay }
}

/// Writes what the draws of a stream select from one range. A function of its own, so that all it
/// needs is in registers, and by pairs, because LLVM makes vectors of single steps, which are slower.
#[inline(never)]
fn fill_samples(mut stream: RandomStream, low: u64, high: u64, samples: &mut [u64]) {
    let (pairs, rest) = samples.as_chunks_mut();
    for pair in pairs {
        *pair = [0, 1].map(|index| sample(stream.draw(index), low, high));
        stream = stream.advance(2);
    }
    for last in rest {
        *last = sample(stream.draw(0), low, high);
    }
}
