//! The atomics of the target, or those of `portable-atomic` where 64 bits are too wide for it.

pub(super) use core::sync::atomic::Ordering;

#[cfg(target_has_atomic = "64")]
pub(super) use core::sync::atomic::AtomicU64;
#[cfg(not(target_has_atomic = "64"))]
pub(super) use portable_atomic::AtomicU64;
