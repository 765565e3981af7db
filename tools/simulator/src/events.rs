//! The queue of future events.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::mem;

use crate::far::Far;

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

/// Events, the next one first: a binary heap of those that are near, and a radix heap of the rest.
///
/// A binary heap is the fastest queue of few events. Millions do not fit into a cache, and each step
/// down such a heap waits for memory; a radix heap moves events in sequence. README has the
/// measurements.
///
/// No event may be added before one that was taken out.
#[derive(Debug)]
pub(crate) struct Events {
    /// Those up to `near_end_ns`, but those of `chunk`.
    near: BinaryHeap<Reverse<u128>>,
    /// Those that became near together, the next one last.
    chunk: Vec<u128>,
    near_end_ns: u64,
    /// Whether the top of the heap was taken out. It stays until another event takes its place,
    /// because a replacement costs half of a removal and an insertion.
    is_top_taken: bool,
    far: Far,
}

/// The most events that become near together: they and their clients fit into a cache.
const CHUNK: usize = 1 << 11;

/// The number of near events above which they are divided.
const CROWD: usize = 2 * CHUNK;

impl Events {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self {
            near: BinaryHeap::with_capacity(capacity.min(CROWD)),
            chunk: Vec::new(),
            near_end_ns: u64::MAX,
            is_top_taken: false,
            far: Far::default(),
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, event: Event) {
        let number = event.to_number();
        if event.time_ns > self.near_end_ns {
            self.far.push(number);
            return;
        }
        let entry = Reverse(number);
        if self.is_top_taken
            && let Some(mut top) = self.near.peek_mut()
        {
            *top = entry;
            self.is_top_taken = false;
            return;
        }
        self.near.push(entry);
        // Events at one time cannot be divided.
        if self.near.len() > CROWD && self.near_end_ns > self.far.start_ns {
            self.divide();
        }
    }

    /// Takes out the next event. If others became near, their clients are told.
    #[inline]
    pub(crate) fn pop(&mut self, approaching: impl FnOnce(&[u128])) -> Option<Event> {
        if mem::take(&mut self.is_top_taken) {
            self.near.pop();
        }
        if self.near.is_empty() && self.chunk.is_empty() {
            self.approach();
            approaching(&self.chunk);
        }
        let top = self.near.peek().map(|&Reverse(top)| top);
        let number = match (self.chunk.last(), top) {
            (Some(&first), top) if top.is_none_or(|top| first < top) => {
                self.chunk.pop();
                first
            }
            (_, top) => {
                self.is_top_taken = top.is_some();
                top?
            }
        };
        Some(Event::from_number(number))
    }

    /// Makes near events far. None of them may have been taken out.
    #[cold]
    fn divide(&mut self) {
        for number in mem::take(&mut self.near).into_iter().map(|Reverse(number)| number) {
            self.far.push(number);
        }
        self.chunk.drain(..).for_each(|number| self.far.push(number));
        self.approach();
    }

    /// Makes the next far events near. No other event may be near.
    #[cold]
    fn approach(&mut self) {
        let end_ns = self.far.take_next(CHUNK, &mut self.chunk);
        self.near_end_ns = end_ns.filter(|_| !self.far.is_empty()).unwrap_or(u64::MAX);
        self.chunk.sort_unstable_by_key(|&number| Reverse(number));
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
                let event = events.pop(|_| ());
                assert_eq!(event, expected.pop().map(|Reverse(event)| event));
                now_ns = event.map_or(now_ns, |event| event.time_ns);
            }
            while let Some(Reverse(event)) = expected.pop() {
                assert_eq!(events.pop(|_| ()), Some(event));
            }
            assert_eq!(events.pop(|_| ()), None);
            assert_eq!(events.pop(|_| ()), None);
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
            assert_eq!(events.pop(|_| ()), Some(Event::new(7, client, 0, 0)));
        }
        assert_eq!(events.pop(|_| ()), None);
    }

    #[test]
    fn an_event_keeps_its_parts() {
        let event = Event::new(u64::MAX - 1, u32::MAX, 15, u32::MAX);
        assert_eq!((event.kind(), event.payload()), (15, Event::MAX_PAYLOAD));
        assert_eq!(Event::from_number(event.to_number()), event);
    }
}
