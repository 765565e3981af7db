//! The atomics of the target, or those of `portable-atomic` if the target has none of 64 bits.

pub(super) use core::sync::atomic::Ordering;

#[cfg(target_has_atomic = "64")]
pub(super) use core::sync::atomic::AtomicU64;
#[cfg(not(target_has_atomic = "64"))]
pub(super) use portable_atomic::AtomicU64;
