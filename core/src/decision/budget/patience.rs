//! How a thread waits for the lock of a budget.

pub(super) use core::hint::spin_loop as spin;

/// How often a thread spins, yields and sleeps before the lock counts as damaged.
pub(super) const SPINS: u32 = 100;
pub(super) const YIELDS: u32 = 1000;
pub(super) const SLEEPS: u32 = 5000;

pub(super) fn yield_now() {
    #[cfg(feature = "yield")]
    std::thread::yield_now();
    #[cfg(not(feature = "yield"))]
    spin_for(1 << 5);
}

pub(super) fn sleep() {
    #[cfg(all(feature = "yield", not(target_family = "wasm")))]
    std::thread::sleep(core::time::Duration::from_millis(1));
    // WebAssembly may be unable to sleep.
    #[cfg(all(feature = "yield", target_family = "wasm"))]
    yield_now();
    #[cfg(not(feature = "yield"))]
    spin_for(1 << 15);
}

/// Spins about as long as the call of the operating system that is missing.
#[cfg(not(feature = "yield"))]
fn spin_for(count: u32) {
    for _ in 0..count {
        spin();
    }
}
