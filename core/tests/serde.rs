//! Policies and budgets in a configuration file.

use backoff_core::{Budget, Policy};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Config {
    retry: Policy,
    budget: Budget,
}

#[test]
fn strings_are_read_and_written() {
    let config = r#"{"retry":"grpc-connect:jitter=20%","budget":"sre"}"#;
    let config: Config = serde_json::from_str(config).unwrap();
    assert_eq!(
        serde_json::to_string(&config).unwrap(),
        r#"{"retry":"exponential:base=1s,multiplier=1.6,cap=2m,jitter=0.2","budget":"ratio"}"#
    );
}

#[test]
fn the_error_is_that_of_the_parser() {
    let error_of = |text| serde_json::from_str::<Policy>(text).unwrap_err().to_string();
    let error = error_of(r#""constant:base=1""#);
    assert!(error.starts_with("at 15: base has no unit; "), "{error}");
    let error = error_of("7");
    assert!(error.contains("expected a policy string"), "{error}");
}
