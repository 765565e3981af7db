//! The lock of the core.

#![allow(dead_code)]

mod common;
#[path = "../../src/decision/budget/lock.rs"]
mod lock;

use backoff_models::patience;

mod decision {
    pub(crate) mod atomic {
        pub(crate) use loom::sync::atomic::{AtomicU64, Ordering};
    }
}

#[test]
fn two_threads() {
    common::no_change_is_lost(2);
}

#[test]
fn three_threads() {
    common::no_change_is_lost(3);
}
