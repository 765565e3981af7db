//! The events that are far away.

use std::mem;

/// The bits of a digit of a time, and how many digits a time has.
const DIGIT_BITS: u32 = 6;
const DIGITS: usize = u64::BITS.div_ceil(DIGIT_BITS) as usize;

/// The values of a digit.
const RADIX: usize = 1 << DIGIT_BITS;

/// The events of a block: 16 kB. Blocks are filled and emptied one after another, so no event moves because
/// others came, and little memory is empty.
const BLOCK: usize = 1 << 10;

/// The most empty blocks that are kept, 4 MB.
const MAX_SPARE: usize = 1 << 8;

/// An event as a number, the time in the high 64 bits.
type Entry = u128;

const fn time_of(entry: Entry) -> u64 {
    (entry >> 64) as u64
}

/// Events in no order but that of buckets: a radix heap, with digits in place of bits. A million events are
/// moved twice or three times until they are near, each time in sequence.
#[derive(Debug, Default)]
pub(crate) struct Far {
    /// For each digit, from the lowest, and each value of it: the events whose time differs from `start_ns`
    /// first in that digit, counted from the highest, and has that value there. Those at `start_ns` have its
    /// lowest digit.
    buckets: Vec<Bucket>,
    /// For each digit, the values whose buckets have events.
    occupied: [u64; DIGITS],
    /// At most the time of any event.
    pub(crate) start_ns: u64,
    spare: Vec<Vec<Entry>>,
}

/// Blocks, of which only the last has room.
type Bucket = Vec<Vec<Entry>>;

impl Far {
    pub(crate) fn is_empty(&self) -> bool {
        self.occupied == [0; DIGITS]
    }

    /// Adds an event that is not before `start_ns`.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the low bits")]
    pub(crate) fn push(&mut self, entry: Entry) {
        let time_ns = time_of(entry);
        let highest = (time_ns ^ self.start_ns | 1).ilog2();
        let digit = highest / DIGIT_BITS;
        let value = (time_ns >> (digit * DIGIT_BITS)) as usize % RADIX;
        self.occupied[digit as usize] |= 1 << value;
        let bucket = digit as usize * RADIX + value;
        match self.buckets.get_mut(bucket).and_then(|blocks| blocks.last_mut()) {
            Some(block) if block.len() < BLOCK => block.push(entry),
            _ => self.push_to_new_block(bucket, entry),
        }
    }

    #[cold]
    fn push_to_new_block(&mut self, bucket: usize, entry: Entry) {
        if self.buckets.is_empty() {
            self.buckets = vec![Bucket::new(); DIGITS * RADIX];
        }
        let mut block = self.spare.pop().unwrap_or_else(|| Vec::with_capacity(BLOCK));
        block.push(entry);
        self.buckets[bucket].push(block);
    }

    /// Moves the next events to a list, at most so many unless more are at one time. Returns the time up to which
    /// there are no others.
    pub(crate) fn take_next(&mut self, most: usize, to: &mut Vec<Entry>) -> Option<u64> {
        loop {
            let (digit, values) =
                (0_u32..).zip(&mut self.occupied).find(|(_, values)| **values != 0)?;
            let value = values.trailing_zeros();
            *values &= *values - 1;
            let mut bucket = mem::take(&mut self.buckets[digit as usize * RADIX + value as usize]);
            // All of them agree in this digit and those above.
            let below = (1 << (digit * DIGIT_BITS)) - 1;
            let time_ns = bucket.iter().flatten().next().map_or(0, |&entry| time_of(entry));
            let entries = bucket.iter().map(Vec::len).sum::<usize>();
            self.start_ns = time_ns & !below;
            if entries <= most || digit == 0 {
                for block in bucket.drain(..) {
                    to.extend_from_slice(&block);
                    self.spare(block);
                }
                return Some(time_ns | below);
            }
            while let Some(block) = bucket.pop() {
                for &entry in &block {
                    self.push(entry);
                }
                self.spare(block);
            }
        }
    }

    fn spare(&mut self, mut block: Vec<Entry>) {
        if self.spare.len() < MAX_SPARE {
            block.clear();
            self.spare.push(block);
        }
    }
}
