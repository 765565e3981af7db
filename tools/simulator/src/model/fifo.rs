//! A queue in order of arrival that gives back memory as it empties.

use std::collections::VecDeque;
use std::mem;

/// Items, the one that came first in front.
///
/// A `VecDeque` keeps the memory of its longest time. With ten million clients it is the largest
/// part of all memory, while most of them are elsewhere.
#[derive(Debug)]
pub(crate) struct Fifo<T> {
    first: VecDeque<T>,
    /// What came after `first` was full.
    rest: VecDeque<Vec<T>>,
    len: usize,
}

impl<T> Fifo<T> {
    /// Allocators give pieces of 32 MB back to the system, whatever was allocated before.
    const PIECE: usize = (32 << 20) / size_of::<T>();

    pub(crate) const fn new() -> Self {
        Self { first: VecDeque::new(), rest: VecDeque::new(), len: 0 }
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn front(&self) -> Option<&T> {
        self.first.front()
    }

    #[inline]
    pub(crate) fn push_back(&mut self, item: T) {
        self.len += 1;
        if self.rest.is_empty() && self.first.len() < Self::PIECE {
            self.first.push_back(item);
        } else {
            self.push_rest(item);
        }
    }

    #[cold]
    fn push_rest(&mut self, item: T) {
        match self.rest.back_mut() {
            Some(piece) if piece.len() < Self::PIECE => piece.push(item),
            _ => {
                let mut piece = Vec::with_capacity(Self::PIECE);
                piece.push(item);
                self.rest.push_back(piece);
            }
        }
    }

    #[inline]
    pub(crate) fn pop_front(&mut self) -> Option<T> {
        let item = self.first.pop_front()?;
        self.len -= 1;
        // While there is more, the front is in `first`.
        if self.first.is_empty()
            && let Some(piece) = self.rest.pop_front()
        {
            drop(mem::replace(&mut self.first, piece.into()));
        }
        Some(item)
    }

    /// Keeps the items that are to be kept, in order.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(&T) -> bool) {
        for _ in 0..self.len {
            if let Some(item) = self.pop_front()
                && is_kept(&item)
            {
                self.push_back(item);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use backoff_core::RandomStream;

    use super::Fifo;

    #[test]
    fn items_come_out_as_from_a_deque() {
        const PIECE: u64 = Fifo::<u64>::PIECE as u64;
        let mut draws = (0..).map(|index| RandomStream::from_seed(1).draw(index));
        let mut draw_below = |bound: u64| draws.next().unwrap() % bound;
        let (mut line, mut expected) = (Fifo::new(), VecDeque::new());
        let mut number = 0_u64;
        // Short, of one piece, and of several.
        for most in [2, 1000, PIECE, 3 * PIECE] {
            for _ in 0..8 {
                for _ in 0..draw_below(most) {
                    line.push_back(number);
                    expected.push_back(number);
                    number += 1;
                }
                let modulus = draw_below(10) + 1;
                line.retain(|number| number % modulus > 0);
                expected.retain(|number| number % modulus > 0);
                assert_eq!(line.len(), expected.len());
                for _ in 0..draw_below(most) {
                    assert_eq!(line.front(), expected.front());
                    assert_eq!(line.pop_front(), expected.pop_front());
                }
            }
            while let Some(item) = expected.pop_front() {
                assert_eq!(line.pop_front(), Some(item));
            }
            assert_eq!((line.len(), line.pop_front()), (0, None));
        }
    }
}
