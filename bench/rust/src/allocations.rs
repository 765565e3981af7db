//! Counts allocations.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

static BYTES: AtomicU64 = AtomicU64::new(0);
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: the system's allocator does everything.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size() as u64, Relaxed);
        ALLOCATIONS.fetch_add(1, Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
}

/// The bytes and the allocations of one operation: the second hundred runs, because the first may
/// make what all of them use.
pub fn of_one(run: fn(u64)) -> (f64, f64) {
    const TIMES: u64 = 100;
    run(TIMES);
    let before = (BYTES.load(Relaxed), ALLOCATIONS.load(Relaxed));
    run(TIMES);
    let of_one = |after: u64, before: u64| (after - before) as f64 / TIMES as f64;
    (of_one(BYTES.load(Relaxed), before.0), of_one(ALLOCATIONS.load(Relaxed), before.1))
}
