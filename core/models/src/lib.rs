//! What the models of the budget's lock wait with. `tests/lock.rs` and `tests/planted.rs` compile the lock of the core with
//! it and with atomics of loom, which runs every order of the threads, and every value that a weakly ordered load may have.

#![allow(missing_docs)]

/// Stands in for `core/src/decision/budget/patience.rs`: a thread gives up soon, and each wait lets another thread run.
pub mod patience {
    pub use loom::thread::yield_now;
    pub use loom::thread::yield_now as sleep;
    pub use loom::thread::yield_now as spin;

    /// In all twice, for a holder that frees the lock meanwhile, and one that does not.
    pub const SPINS: u32 = 0;
    pub const YIELDS: u32 = 1;
    pub const SLEEPS: u32 = 1;
}
