//! A model of the threads of a shared budget: the files of `bindings-rust/src/shared_budget` over threads of shuttle, which
//! runs one at a time, in random orders, and reports when all wait. The time is the model's, too.

#![cfg(test)]
#![allow(dead_code, unused_imports, unreachable_pub)]

#[path = "../../src/shared_budget/mod.rs"]
mod shared_budget;
mod store;
mod sync;
mod tests;
mod time;
