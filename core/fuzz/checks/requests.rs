//! Any bytes as requests of the evaluator: each line has an answer, which is JSON.

use std::io::Result;

/// Checks one input of the fuzzer: lines, which the evaluator answers.
pub(crate) fn check(bytes: &[u8], serve: fn(&[u8], &mut Vec<u8>) -> Result<()>) {
    let mut answers = Vec::new();
    serve(bytes, &mut answers).expect("memory can be written");
    let answers = String::from_utf8(answers).expect("answers are text");
    let lines = bytes.split_inclusive(|&byte| byte == b'\n').count();
    assert_eq!(answers.lines().count(), lines, "{answers}");
    for answer in answers.lines() {
        let answer: serde_json::Value = serde_json::from_str(answer).expect(answer);
        assert!(answer.is_object(), "{answer}");
    }
}
