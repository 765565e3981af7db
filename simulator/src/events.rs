//! The queue of future events.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What happens to a client at a time.
///
/// Events are ordered by time, then by client, then by what happens: the order does not depend on
/// the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Event {
    pub(crate) time_ns: u64,
    pub(crate) client: u32,
    what: u32,
}

impl Event {
    /// The number of bits of a payload.
    const PAYLOAD_BITS: u32 = 28;

    /// The largest payload.
    pub(crate) const MAX_PAYLOAD: u32 = (1 << Self::PAYLOAD_BITS) - 1;

    /// An event of a kind, which is below 16, with a number of which the low 28 bits are kept.
    pub(crate) const fn new(time_ns: u64, client: u32, kind: u8, payload: u32) -> Self {
        let what = (kind as u32) << Self::PAYLOAD_BITS | payload & Self::MAX_PAYLOAD;
        Self { time_ns, client, what }
    }

    pub(crate) const fn kind(self) -> u8 {
        (self.what >> Self::PAYLOAD_BITS) as u8
    }

    pub(crate) const fn payload(self) -> u32 {
        self.what & Self::MAX_PAYLOAD
    }

    /// The event as one number, which has the same order.
    const fn to_number(self) -> u128 {
        (self.time_ns as u128) << 64 | (self.client as u128) << 32 | self.what as u128
    }

    #[expect(clippy::cast_possible_truncation, reason = "the parts of the number")]
    const fn from_number(number: u128) -> Self {
        Self { time_ns: (number >> 64) as u64, client: (number >> 32) as u32, what: number as u32 }
    }
}

/// Events, the next one first.
#[derive(Debug, Default)]
pub(crate) struct Events(BinaryHeap<Reverse<u128>>);

impl Events {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self(BinaryHeap::with_capacity(capacity))
    }

    #[inline]
    pub(crate) fn push(&mut self, event: Event) {
        self.0.push(Reverse(event.to_number()));
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Event> {
        self.0.pop().map(|Reverse(number)| Event::from_number(number))
    }
}
