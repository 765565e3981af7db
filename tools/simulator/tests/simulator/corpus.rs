//! The inputs of `backoff merge` that a fuzzer found worth keeping (see `core/fuzz/README.md`).

#[path = "../../../../core/fuzz/checks/corpus.rs"]
mod inputs;
#[path = "../../../../core/fuzz/checks/parts.rs"]
mod parts;

#[test]
fn what_the_fuzzer_found_is_read_or_refused() {
    let inputs = inputs::inputs(include_str!("../../../../core/fuzz/corpus/parts.hex"));
    for input in inputs {
        parts::check(&input);
    }
}
