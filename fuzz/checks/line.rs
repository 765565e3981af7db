//! Any bytes as a line of a policy, a line of a budget, a ratio and a `Retry-After`: a value or
//! an error, and what was read is read again from what is printed.

use backoff_core::{Budget, ParseError, Policy, Ratio, Stream, Text, retry_after_ns};

/// One input of the fuzzer.
pub(crate) fn check(bytes: &[u8]) {
    match Policy::parse(bytes) {
        Ok(policy) => {
            let line = policy.line();
            assert!(line.as_bytes().len() < Text::CAPACITY);
            assert_eq!(Policy::parse(line.as_bytes()), Ok(policy), "{policy}");
            for index in [0, 1, 64, u32::MAX] {
                assert!(policy.delay_ns(Stream::from_seed(42), index) <= backoff_core::MAX_NS);
            }
            for row in policy.preview().take(20) {
                assert!(row.smallest <= row.mean && row.mean <= row.largest, "{policy}: {row:?}");
            }
        }
        Err(error) => explained(error, bytes),
    }
    match Budget::parse(bytes) {
        Ok(budget) => {
            let again = Budget::parse(budget.line().as_bytes()).expect("what was printed");
            assert_eq!(again.to_words(), budget.to_words(), "{budget}");
        }
        Err(error) => explained(error, bytes),
    }
    if let Ok(text) = core::str::from_utf8(bytes) {
        let _ = Ratio::parse(text);
    }
    let _ = retry_after_ns(bytes, 784_111_777_000_000_000);
}

/// The place of an error is in the line, what was found is there, and the message is whole.
fn explained(error: ParseError, line: &[u8]) {
    let rest = line.get(error.at()..).expect("a place in the line");
    assert!(rest.starts_with(error.found()), "{error}");
    assert!(error.at() + error.found_length() <= line.len());
    let message = error.text();
    assert!(message.as_bytes().len() < Text::CAPACITY);
    assert!(message.as_bytes().iter().all(|byte| (b' '..=b'~').contains(byte)), "{message:?}");
}
