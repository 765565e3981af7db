//! What is measured, as exact integers, and the statistics of it.

pub(crate) mod counts;
pub(crate) mod histogram;
pub(crate) mod moments;
pub(crate) mod recorder;
pub(crate) mod recovery;
pub(crate) mod totals;
