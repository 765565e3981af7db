//! The lock of the core with planted faults, which the models must find: atomics whose orders are all relaxed, and a lock
//! that two threads may take.

#![allow(dead_code)]

mod common;
#[path = "../../src/decision/budget/lock.rs"]
mod lock;

use backoff_models::patience;

mod decision {
    pub(crate) mod atomic {
        pub(crate) use loom::sync::atomic::Ordering;
        use loom::sync::atomic::Ordering::Relaxed;

        pub(crate) struct AtomicU64(loom::sync::atomic::AtomicU64);

        impl AtomicU64 {
            pub(crate) fn new(value: u64) -> Self {
                Self(loom::sync::atomic::AtomicU64::new(value))
            }

            pub(crate) fn load(&self, _: Ordering) -> u64 {
                self.0.load(Relaxed)
            }

            pub(crate) fn store(&self, value: u64, _: Ordering) {
                self.0.store(value, Relaxed);
            }

            pub(crate) fn compare_exchange(
                &self,
                old: u64,
                new: u64,
                _: Ordering,
                _: Ordering,
            ) -> Result<u64, u64> {
                self.0.compare_exchange(old, new, Relaxed, Relaxed)
            }

            pub(crate) fn compare_exchange_weak(
                &self,
                old: u64,
                new: u64,
                _: Ordering,
                _: Ordering,
            ) -> Result<u64, u64> {
                self.0.compare_exchange_weak(old, new, Relaxed, Relaxed)
            }
        }
    }
}

#[test]
#[should_panic]
fn relaxed_orders_lose_changes() {
    common::no_change_is_lost(2);
}
