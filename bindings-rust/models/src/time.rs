//! Stands in for `bindings-rust/src/time.rs`.

use crate::sync::Instant;

pub trait Clock {
    fn now_ns(&self) -> u64;
}

pub struct Monotonic;

impl Clock for Monotonic {
    fn now_ns(&self) -> u64 {
        Instant::now().0
    }
}
