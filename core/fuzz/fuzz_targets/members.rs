#![no_main]

#[path = "../checks/members.rs"]
mod members;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| members::check(bytes));
