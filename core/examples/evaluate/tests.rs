//! The requests of `tests/vectors/requests.jsonl`, and their answers.

use serde_json::Value;

/// Miri takes seconds for what takes microseconds.
const STEP: usize = if cfg!(miri) { 80 } else { 1 };

#[test]
fn it_answers_the_requests_of_the_reference() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/vectors/requests.jsonl");
    let mut count = 0;
    for line in std::fs::read_to_string(path).unwrap().lines().step_by(STEP) {
        let case: Value = serde_json::from_str(line).unwrap();
        for asked in case["asked"].as_array().into_iter().flatten() {
            let mut request = match asked[1].as_str() {
                Some(text) => text.as_bytes().to_vec(),
                None => serde_json::from_value(asked[1].clone()).unwrap(),
            };
            if request.last() != Some(&b'\n') {
                request.push(b'\n');
            }
            let mut answer = Vec::new();
            super::serve(&*request, &mut answer).unwrap();
            let want = asked[2].as_str().unwrap().to_owned() + "\n";
            assert_eq!(String::from_utf8(answer), Ok(want), "{}{}", case["id"], asked[0]);
            count += 1;
        }
    }
    assert!(count > 4500 / STEP, "{count}");
}
