#![no_main]

#[path = "../checks/operations.rs"]
mod operations;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| operations::check(bytes));
