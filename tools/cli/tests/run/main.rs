//! Tests of `backoff run` as its users run it: as a process.
#![cfg(target_os = "linux")]

mod attempts;
mod budget_file;
mod crash;
mod descriptors;
mod events;
mod full;
mod limits;
mod signals;
mod streams;
mod support;
mod terminal;
