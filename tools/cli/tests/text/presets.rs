//! `backoff presets`.

use crate::support::{output, stderr, stdout};

#[test]
fn a_name_can_be_that_of_a_budget_only() {
    let shown = stdout(&["presets", "sre"]);
    assert!(shown.starts_with("Budgets\n  sre "), "{shown}");
    let unknown = output(&["presets", "aws-sdk-2025"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("a similar value exists: 'aws-sdk-2026'"), "{unknown:?}");
}
