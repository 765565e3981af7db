#![no_main]

#[path = "../checks/imports.rs"]
mod imports;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| imports::check(bytes));
