//! The inputs that the fuzzers found worth keeping (see `core/fuzz/README.md`).

use std::path::Path;

#[path = "../fuzz/checks/members.rs"]
mod members;
#[path = "../fuzz/checks/operations.rs"]
mod operations;
#[path = "../fuzz/checks/strings.rs"]
mod strings;

/// The inputs of a target: one a line, in hexadecimal. A line that begins with `#` is a comment.
fn inputs(target: &str) -> Vec<Vec<u8>> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let text = std::fs::read_to_string(corpus.with_extension("hex")).unwrap();
    let byte = |hex: &str, at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    let bytes = |hex: &str| (0..hex.len()).step_by(2).map(|at| byte(hex, at)).collect();
    let inputs: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).map(bytes).collect();
    assert!(inputs.len() > 100, "only {} inputs", inputs.len());
    inputs
}

#[test]
fn every_input_keeps_the_rules_of_its_target() {
    type Check = fn(&[u8]);
    let targets: [(&str, Check); 3] = [
        ("strings", strings::check),
        ("operations", operations::check),
        ("members", members::check),
    ];
    for (target, check) in targets {
        for input in inputs(target) {
            check(&input);
        }
    }
}
