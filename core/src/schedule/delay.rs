//! The delay of any index.

use crate::random::stream::RandomStream;
use crate::schedule::state::DelayState;
use crate::schedule::{PolicyNumbers, Schedule, ScheduleParams, doubling};

/// The delay of an index with a base, which may be another one than that of the policy.
#[inline]
pub(crate) fn delay_ns(policy: &impl Schedule, base: u64, stream: RandomStream, index: u32) -> u64 {
    if policy.is_doubling() {
        return doubling::delay(doubling::window(base, policy.cap, index), stream.draw(index));
    }
    if base != policy.base {
        let numbers = PolicyNumbers { base, ..**policy };
        // A whole policy, as most callers have: the formulas are compiled once for each kind of policy.
        let policy = ScheduleParams { numbers, waits: *policy.waits() };
        return any_delay_ns(&policy, stream, index);
    }
    any_delay_ns(policy, stream, index)
}

// Out of line: several functions share its long code.
#[inline(never)]
fn any_delay_ns(policy: &impl Schedule, stream: RandomStream, index: u32) -> u64 {
    DelayState::at(policy, stream, index).delay(policy, index.into(), stream.draw(index))
}
