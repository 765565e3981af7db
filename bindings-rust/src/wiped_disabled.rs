//! Stands in for `wiped` where the system wipes no memory at a fork, and in Miri, which knows no `madvise`.

#[cfg(target_has_atomic = "64")]
use std::sync::atomic::AtomicU64;

#[cfg(not(target_has_atomic = "64"))]
use portable_atomic::AtomicU64;

pub(crate) type Words = [AtomicU64; 3];

pub(crate) fn words() -> Option<&'static Words> {
    None
}
