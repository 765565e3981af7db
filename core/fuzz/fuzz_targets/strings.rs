#![no_main]

#[path = "../checks/strings.rs"]
mod strings;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| strings::check(bytes));
