//! Loops, through the public API.

mod attempts;
mod cancel_async;
mod cancel_blocking;
mod conformance;
mod ends;
mod hooks;
mod play;
mod polling;
mod sharing;
mod support;
mod types;
mod unwatched;
#[path = "../../../core/tests/conformance/vectors.rs"]
mod vectors;
