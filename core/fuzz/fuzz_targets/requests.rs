#![no_main]

#[path = "../../examples/evaluate/main.rs"]
#[allow(dead_code)] // Its `main`.
mod evaluate;
#[path = "../checks/requests.rs"]
mod requests;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    requests::check(bytes, |bytes, answers| evaluate::serve(bytes, answers));
});
