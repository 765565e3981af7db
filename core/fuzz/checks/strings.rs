//! Any bytes as a policy string, a budget string, the state of a budget, a ratio, a `Retry-After`
//! header and the header fields of a response: each gives a value or an error, and a printed value
//! parses to the same value.

use std::sync::LazyLock;

use backoff_core::{
    Budget, BudgetState, MAX_NS, ParseError, Policy, RandomStream, Ratio, ffi, http_retry_after_ns,
    parse_retry_after_ns,
};

/// A time in 1994.
const NOW: u64 = 784_111_777_000_000_000;

static BUDGETS: LazyLock<[Budget; 5]> = LazyLock::new(|| {
    let presets = ["aws-sdk-2026", "grpc-retry", "sre", "sre-process", "finagle"];
    presets.map(|preset| Budget::parse(preset).expect("a preset"))
});

/// Checks one input of the fuzzer.
pub(crate) fn check(bytes: &[u8]) {
    match Policy::parse(bytes) {
        Ok(policy) => {
            let text = policy.text();
            assert!(text.as_str().len() < ffi::TEXT_CAPACITY);
            assert_eq!(Policy::parse(text.as_str()), Ok(policy), "{policy}");
            for index in [0, 1, 64, u32::MAX] {
                assert!(policy.delay_ns(RandomStream::from_seed(42), index) <= MAX_NS);
            }
            for row in policy.preview().take(20) {
                assert!(
                    row.min_ns <= row.mean_ns && row.mean_ns <= row.max_ns,
                    "{policy}: {row:?}"
                );
            }
        }
        Err(error) => check_error(&error, bytes),
    }
    match Budget::parse(bytes) {
        Ok(budget) => {
            let again = Budget::parse(budget.text().as_str()).expect("a printed budget");
            let words = ffi::budget_to_words;
            assert_eq!(words(&again), words(&budget), "{budget}");
        }
        Err(error) => check_error(&error, bytes),
    }
    if let Ok(text) = core::str::from_utf8(bytes) {
        let _ = Ratio::parse(text);
    }
    for budget in BUDGETS.iter() {
        if let Some(state) = BudgetState::parse(budget, bytes) {
            assert_eq!(state.text().as_str().as_bytes(), bytes, "{budget}");
        }
    }
    for time in [parse_retry_after_ns(bytes, NOW), http_retry_after_ns(429, bytes, NOW)] {
        assert!(time.is_none_or(|time| time <= MAX_NS));
    }
}

/// The error's position and excerpt are in the string, and its message is complete.
fn check_error(error: &ParseError, bytes: &[u8]) {
    let rest = bytes.get(error.at()..).expect("a position in the string");
    assert!(rest.starts_with(error.found()), "{error}");
    assert!(error.at() + error.found_length() <= bytes.len());
    // To look an unknown name up takes longer than all else here, so one input in 16 does.
    if bytes.iter().fold(0, |sum, byte| sum ^ byte) % 16 != 0 {
        return;
    }
    let message = error.message();
    assert!(message.as_str().len() < ffi::TEXT_CAPACITY);
    assert!(message.as_str().bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{message:?}");
}
