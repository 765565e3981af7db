//! Memory that a forked child finds zeroed: the only unsafe code of this crate.

#![allow(unsafe_code)]

use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// What the default streams of a process have in common (`defaults`).
pub(crate) type Words = [AtomicU64; 3];

const LENGTH: usize = size_of::<Words>();

/// The words of this process, or `None` if the system wipes no memory at a fork. A child finds 0 in
/// them, also the child of a bare `clone`.
///
/// Nobody waits here for another thread: a child in which that thread does not exist would wait for ever.
pub(crate) fn words() -> Option<&'static Words> {
    /// Stands for a mapping that the system refuses.
    static NONE: Words = [const { AtomicU64::new(0) }; 3];
    static MAPPED: AtomicPtr<Words> = AtomicPtr::new(ptr::null_mut());

    let none = (&raw const NONE).cast_mut();
    let mut mapped = MAPPED.load(Ordering::Acquire);
    if mapped.is_null() {
        let mine = map().map_or(none, NonNull::as_ptr);
        let order = (Ordering::AcqRel, Ordering::Acquire);
        mapped = match MAPPED.compare_exchange(mapped, mine, order.0, order.1) {
            Ok(_) => mine,
            Err(theirs) => {
                if mine != none {
                    // SAFETY: this function mapped these bytes, and nobody else knows of them.
                    unsafe { libc::munmap(mine.cast(), LENGTH) };
                }
                theirs
            }
        };
    }
    // SAFETY: it points to a static or to a mapping that is never unmapped. Both are aligned and hold only
    // atomics, of which any value is valid, so it also does not matter who wipes them.
    (mapped != none).then(|| unsafe { &*mapped })
}

/// Maps words that the system wipes in every child.
#[cold]
fn map() -> Option<NonNull<Words>> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping overlaps with no other memory.
    let mapped = unsafe { libc::mmap(ptr::null_mut(), LENGTH, protection, flags, -1, 0) };
    if mapped == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: this function has made the mapping, and no other code knows of it.
    let advise = |advice| unsafe { libc::madvise(mapped, LENGTH, advice) == 0 };
    // An emulator such as an old QEMU takes any advice and does nothing about it, so one that does
    // not exist has to fail.
    if !advise(-1) && advise(libc::MADV_WIPEONFORK) {
        return NonNull::new(mapped.cast());
    }
    // SAFETY: as before.
    unsafe { libc::munmap(mapped, LENGTH) };
    None
}
