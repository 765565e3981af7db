//! The tests of the simulator, in one program: what they share is compiled once.

mod budgets;
mod common;
mod corpus;
mod determinism;
mod latency;
mod layers;
mod limits;
mod occ;
mod open;
mod parts;
mod queue;
mod serial;
