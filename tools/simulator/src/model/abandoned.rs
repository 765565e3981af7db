//! The times at which calls end that nobody waits for any more. There can be many more than clients.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::mem;

/// Times of 8 bytes each, where an event takes 16.
///
/// Those that came last are in a heap. When there are many they become a sorted piece, and pieces
/// are merged as time passes. Unlike an event, a time may be added that has passed.
#[derive(Debug, Default)]
pub(crate) struct Abandoned {
    recent: BinaryHeap<Reverse<u64>>,
    /// The earliest time of each piece, and the others, the earliest of them last.
    pieces: BinaryHeap<Reverse<(u64, Vec<u64>)>>,
}

impl Abandoned {
    /// The times that become a piece.
    const PIECE: usize = 1 << 16;

    pub(crate) fn push(&mut self, time_ns: u64) {
        self.recent.push(Reverse(time_ns));
        if self.recent.len() == Self::PIECE {
            self.sort_recent();
        }
    }

    /// Takes out the times that have come, and counts them.
    pub(crate) fn pass(&mut self, now_ns: u64) -> u64 {
        let mut passed = 0;
        while self.recent.peek().is_some_and(|&Reverse(time_ns)| time_ns <= now_ns) {
            self.recent.pop();
            passed += 1;
        }
        while let Some(mut piece) = self.pieces.peek_mut()
            && piece.0.0 <= now_ns
        {
            let Reverse((earliest_ns, later)) = &mut *piece;
            passed += 1;
            match later.pop() {
                Some(time_ns) => *earliest_ns = time_ns,
                None => {
                    PeekMut::pop(piece);
                }
            }
        }
        passed
    }

    #[cold]
    fn sort_recent(&mut self) {
        let recent = mem::take(&mut self.recent).into_iter();
        let mut times: Vec<_> = recent.map(|Reverse(time_ns)| time_ns).collect();
        times.sort_unstable_by_key(|&time_ns| Reverse(time_ns));
        if let Some(earliest_ns) = times.pop() {
            self.pieces.push(Reverse((earliest_ns, times)));
        }
    }
}

#[cfg(test)]
mod tests {
    use backoff_core::RandomStream;

    use super::Abandoned;

    /// Each time is taken out once, as soon as it has come: one bound of a piece, several pieces.
    #[test]
    fn times_pass_as_from_a_list() {
        let mut draws = (0..).map(|index| RandomStream::from_seed(1).draw(index));
        let mut draw_below = |bound: u64| draws.next().unwrap() % bound;
        for count in [0, 1, 10, Abandoned::PIECE - 1, Abandoned::PIECE, 5 * Abandoned::PIECE + 3] {
            let (mut ends, mut times) = (Abandoned::default(), Vec::new());
            let mut now_ns = 0;
            for _ in 0..4 {
                for _ in 0..count {
                    // Before now, at one time, soon and late.
                    let time_ns = match draw_below(4) {
                        0 => draw_below(now_ns + 1),
                        1 => now_ns + 1,
                        2 => now_ns + draw_below(1000),
                        _ => now_ns + draw_below(1_000_000),
                    };
                    ends.push(time_ns);
                    times.push(time_ns);
                }
                for step in [0, 1, 500, 300_000] {
                    now_ns += step;
                    let before = times.len();
                    times.retain(|&time_ns| time_ns > now_ns);
                    assert_eq!(ends.pass(now_ns), (before - times.len()) as u64);
                }
            }
            ends.push(u64::MAX);
            assert_eq!(ends.pass(u64::MAX), times.len() as u64 + 1);
            assert_eq!(ends.pass(u64::MAX), 0);
        }
    }
}
