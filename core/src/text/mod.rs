//! Text without allocation: a fixed-capacity string, presets, and printing a policy string.

pub(crate) mod buffer;
pub(crate) mod kind;
pub(crate) mod peer;
pub(crate) mod preset;
pub(crate) mod print;
