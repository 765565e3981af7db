//! Random numbers and times.

pub(crate) mod distribution;
pub(crate) mod draws;
pub(crate) mod probability;
pub(crate) mod quantile;
