//! The random numbers of a run that are not draws of its clients.

use backoff_core::RandomStream;

use crate::random::ziggurat::Ziggurat;

/// Random 64-bit numbers, one after another.
#[derive(Debug)]
pub(crate) struct Draws {
    stream: RandomStream,
    ziggurat: &'static Ziggurat,
}

impl Draws {
    pub(crate) fn new(stream: RandomStream) -> Self {
        Self { stream, ziggurat: Ziggurat::get() }
    }

    #[inline]
    pub(crate) const fn next(&mut self) -> u64 {
        let draw = self.stream.draw(0);
        self.stream = self.stream.advance(1);
        draw
    }

    /// The table of the normal distribution.
    #[inline]
    pub(crate) const fn ziggurat(&self) -> &'static Ziggurat {
        self.ziggurat
    }

    /// True with a probability in millionths.
    pub(crate) fn chance(&mut self, millionths: u32) -> bool {
        (u128::from(self.next()) * 1_000_000) >> 64 < u128::from(millionths)
    }
}
