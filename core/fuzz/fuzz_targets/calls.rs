#![no_main]

#[path = "../checks/calls.rs"]
mod calls;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| calls::check(bytes));
