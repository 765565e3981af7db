//! Random numbers and times.

pub(crate) mod distribution;
pub(crate) mod draws;
pub(crate) mod normal;
pub(crate) mod probability;
pub(crate) mod quantile;
pub(crate) mod ziggurat;
