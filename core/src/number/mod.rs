//! Integers, exact ratios, and reading both from text.

pub(crate) mod arithmetic;
pub(crate) mod digits;
pub(crate) mod ratio;
