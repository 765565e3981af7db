//! Every input that the fuzzers found worth keeping.

use std::path::Path;

#[path = "../../fuzz/checks/line.rs"]
mod line;
#[path = "../../fuzz/checks/operations.rs"]
mod operations;

fn each(target: &str, check: fn(&[u8])) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
    let mut count = 0;
    for file in std::fs::read_dir(corpus).unwrap() {
        check(&std::fs::read(file.unwrap().path()).unwrap());
        count += 1;
    }
    assert!(count > 100, "only {count} inputs");
}

#[test]
fn lines() {
    each("line", line::check);
}

#[test]
fn scripts() {
    each("operations", operations::check);
}
