//! `backoff presets`.

use crate::support::{output, stderr, stdout};

#[test]
fn a_name_can_be_that_of_a_policy_and_of_a_budget() {
    let shown = stdout(&["presets", "aws-sdk-2026"]);
    assert!(shown.contains("quota:cost=14,cost_throttled=5"), "{shown}");
    assert!(shown.contains("full:base=50ms,cap=20s,max_retries=2"), "{shown}");
    assert!(shown.contains("botocore, AWS_NEW_RETRIES_2026, 2026-08\n"), "{shown}");
    assert!(!shown.contains("sidekiq"));
    let shown = stdout(&["presets", "sre"]);
    assert!(shown.starts_with("Budgets\n  sre "), "{shown}");
    let unknown = output(&["presets", "aws-sdk-2025"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("a similar value exists: 'aws-sdk-2026'"), "{unknown:?}");
}
