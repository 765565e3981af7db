//! The threads, the locks and the time of shared budgets. A model puts others in their place, and runs the threads in any
//! order (`bindings-rust/models`).

pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
pub(crate) use std::thread;
pub(crate) use std::time::Instant;
