#![no_main]

#[path = "../checks/line.rs"]
mod line;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| line::check(bytes));
