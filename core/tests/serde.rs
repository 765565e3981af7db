//! Policies and budgets in a configuration file.

use backoff_core::{Budget, Policy};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Config {
    retry: Policy,
    budget: Budget,
}

#[test]
fn a_line_is_read_and_written() {
    let config = r#"{"retry":"grpc-connect:jitter=20%","budget":"sre"}"#;
    let config: Config = serde_json::from_str(config).unwrap();
    assert_eq!(
        serde_json::to_string(&config).unwrap(),
        r#"{"retry":"exponential:base=1s,multiplier=1.6,cap=2m,jitter=0.2","budget":"ratio"}"#
    );
}

#[test]
fn what_is_wrong_is_said() {
    let refused = |text| serde_json::from_str::<Policy>(text).unwrap_err().to_string();
    let error = refused(r#""constant:base=1""#);
    assert!(error.starts_with("at 15: base has no unit; "), "{error}");
    let error = refused("7");
    assert!(error.contains("expected the line of a policy"), "{error}");
}
