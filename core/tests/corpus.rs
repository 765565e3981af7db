//! The inputs that the fuzzers found worth keeping (see `core/fuzz/README.md`).

#[path = "../fuzz/checks/corpus.rs"]
mod corpus;
#[path = "../fuzz/checks/members.rs"]
mod members;
#[path = "../fuzz/checks/operations.rs"]
mod operations;
#[path = "../fuzz/checks/strings.rs"]
mod strings;

#[test]
fn every_input_keeps_the_rules_of_its_target() {
    let inputs = [
        (include_str!("../fuzz/corpus/strings.hex"), strings::check as fn(&[u8])),
        (include_str!("../fuzz/corpus/operations.hex"), operations::check),
        (include_str!("../fuzz/corpus/members.hex"), members::check),
    ];
    for (hex, check) in inputs {
        for input in corpus::inputs(hex) {
            check(&input);
        }
    }
}
