#![no_main]

#[path = "../checks/parts.rs"]
mod parts;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| parts::check(bytes));
