//! The queue of future events.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::mem;

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
    const PAYLOAD_BITS: u32 = 28;

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
    pub(crate) const fn to_number(self) -> u128 {
        (self.time_ns as u128) << 64 | (self.client as u128) << 32 | self.what as u128
    }

    #[expect(clippy::cast_possible_truncation, reason = "the parts of the number")]
    pub(crate) const fn from_number(number: u128) -> Self {
        Self { time_ns: (number >> 64) as u64, client: (number >> 32) as u32, what: number as u32 }
    }
}

/// Ordered so that the earliest event is the greatest, which a binary heap returns first.
type Entry = Reverse<u128>;

const fn time_of(Reverse(number): Entry) -> u64 {
    (number >> 64) as u64
}

/// Events, the next one first: a binary heap of those that are near, and a radix heap of the rest.
///
/// A binary heap is the fastest queue of few events. Millions do not fit into a cache, and each step
/// down such a heap waits for memory; a radix heap moves events in sequence. README has the
/// measurements.
///
/// No event may be added before one that was taken out.
#[derive(Debug)]
pub(crate) struct Events {
    /// The events up to `near_end_ns`.
    near: BinaryHeap<Entry>,
    near_end_ns: u64,
    /// Whether the top of the heap was taken out. It stays until another event takes its place,
    /// because a replacement costs half of a removal and an insertion.
    is_top_taken: bool,
    /// At `n`, the later events whose time differs from `start_ns` first in bit `n - 1`, counted
    /// from the lowest; at 0, those at that time.
    far: [Vec<Entry>; 65],
    /// At most the time of any event.
    start_ns: u64,
}

/// The most events that become near together.
const CHUNK: usize = 1 << 12;

/// The number of near events above which they are divided.
const CROWD: usize = 8 * CHUNK;

/// The number of events after which memory is given back, a megabyte.
const SHRINK: usize = 1 << 16;

impl Events {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self {
            near: BinaryHeap::with_capacity(capacity.min(CROWD)),
            near_end_ns: u64::MAX,
            is_top_taken: false,
            far: [const { Vec::new() }; 65],
            start_ns: 0,
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, event: Event) {
        let entry = Reverse(event.to_number());
        if event.time_ns > self.near_end_ns {
            self.put_far(entry);
            return;
        }
        if self.is_top_taken
            && let Some(mut top) = self.near.peek_mut()
        {
            *top = entry;
            self.is_top_taken = false;
            return;
        }
        self.near.push(entry);
        // Events at one time cannot be divided.
        if self.near.len() > CROWD && self.near_end_ns > self.start_ns {
            self.divide();
        }
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Event> {
        if mem::take(&mut self.is_top_taken) {
            self.near.pop();
        }
        if self.near.is_empty() {
            self.approach();
        }
        let Reverse(number) = self.near.peek()?;
        self.is_top_taken = true;
        Some(Event::from_number(*number))
    }

    #[inline]
    fn put_far(&mut self, entry: Entry) {
        let bits = u64::BITS - (time_of(entry) ^ self.start_ns).leading_zeros();
        self.far[bits as usize].push(entry);
    }

    /// Makes near events far. None of them may have been taken out.
    #[cold]
    fn divide(&mut self) {
        let entries = mem::take(&mut self.near).into_vec();
        self.put_all_far(entries);
        self.near_end_ns = self.start_ns;
        self.approach();
    }

    /// Makes the next far events near. No other event may be near.
    #[cold]
    fn approach(&mut self) {
        let next = |far: &mut [Vec<Entry>; 65]| {
            (0..)
                .zip(far)
                .find(|(_, entries)| !entries.is_empty())
                .map(|(bits, entries)| (bits, mem::take(entries)))
        };
        while let Some((bits, entries)) = next(&mut self.far) {
            // All of them agree in the other bits.
            let differing = u64::MAX.unbounded_shr(u64::BITS - bits);
            let first = entries.iter().copied().map(time_of).min().unwrap_or_default();
            if bits == 0 || entries.len() <= CHUNK {
                self.start_ns = first & !(differing >> 1);
                self.near_end_ns = first | differing >> 1;
                if entries.len() <= CHUNK && self.far.iter().all(Vec::is_empty) {
                    self.near_end_ns = u64::MAX;
                }
                self.near = entries.into();
                return;
            }
            self.start_ns = first;
            self.put_all_far(entries);
        }
        self.near_end_ns = u64::MAX;
    }

    /// Moves entries, and gives back the memory that they leave: they can be most of all memory.
    fn put_all_far(&mut self, mut entries: Vec<Entry>) {
        while let Some(entry) = entries.pop() {
            self.put_far(entry);
            if entries.len().is_multiple_of(SHRINK) {
                entries.shrink_to_fit();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    use backoff_core::RandomStream;

    use super::{CROWD, Event, Events};

    /// Delays that are none, equal, near, far and as far as possible.
    fn delay_ns(draw: u64) -> u64 {
        match draw % 8 {
            0 | 1 => 0,
            2 => 1_000_000,
            3 => draw >> 60,
            4 => u64::MAX,
            _ => draw >> (24 + draw % 37),
        }
    }

    #[test]
    fn events_come_in_order_as_from_a_binary_heap() {
        let mut draws = (0..).map(|index| RandomStream::from_seed(1).draw(index));
        let mut next = || draws.next().unwrap();
        for most in [1, 2, 100, CROWD / 2, CROWD + 1, 3 * CROWD] {
            let (mut events, mut expected) = (Events::with_capacity(most), BinaryHeap::new());
            let (mut now_ns, mut grows) = (0_u64, true);
            for _ in 0..10 * most + 100 {
                grows = expected.len() < most && (grows || expected.is_empty());
                for _ in 0..next() % if grows { 4 } else { 2 } {
                    let time_ns = now_ns.saturating_add(delay_ns(next()));
                    #[expect(clippy::cast_possible_truncation, reason = "any number will do")]
                    let client = next() as u32;
                    let event = Event::new(time_ns, client, (client % 16) as u8, client / 16);
                    events.push(event);
                    expected.push(Reverse(event));
                }
                let event = events.pop();
                assert_eq!(event, expected.pop().map(|Reverse(event)| event));
                now_ns = event.map_or(now_ns, |event| event.time_ns);
            }
            while let Some(Reverse(event)) = expected.pop() {
                assert_eq!(events.pop(), Some(event));
            }
            assert_eq!(events.pop(), None);
            assert_eq!(events.pop(), None);
        }
    }

    #[test]
    fn many_events_at_one_time_are_not_divided_again_and_again() {
        const COUNT: u32 = 300_000;
        let mut events = Events::with_capacity(0);
        for client in (0..COUNT).rev() {
            events.push(Event::new(7, client, 0, 0));
        }
        for client in 0..COUNT {
            assert_eq!(events.pop(), Some(Event::new(7, client, 0, 0)));
        }
        assert_eq!(events.pop(), None);
    }

    #[test]
    fn an_event_keeps_its_parts() {
        let event = Event::new(u64::MAX - 1, u32::MAX, 15, u32::MAX);
        assert_eq!((event.kind(), event.payload()), (15, Event::MAX_PAYLOAD));
        assert_eq!(Event::from_number(event.to_number()), event);
    }
}
