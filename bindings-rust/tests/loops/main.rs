//! What loops do, through the public API.

mod cancel;
mod conformance;
mod ends;
mod hooks;
mod polling;
mod sharing;
mod support;
mod types;
mod waiting;
