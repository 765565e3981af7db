//! Without retries no delay matters: such a policy has an equivalent in each engine that can be told
//! not to retry.

use backoff_core::{Budget, Policy};
use backoff_export::{ExportOptions, Format, export_with, import};

const EXACT: ExportOptions = ExportOptions { nearest: false, servers: None, yaml: false };

/// Policies without retries, in which nothing else has an equivalent.
const OFF: [&str; 4] = [
    "off",
    "default:max_retries=0",
    "aws-sdk-2026:max_retries=0,floor=1ms,offset=1us,max_elapsed=1us",
    "fibonacci:base=333us,cap=7777777ns,jitter=equal,max_retries=0,retry_after=spread",
];

#[test]
fn a_policy_without_retries_is_exported_exactly() {
    for (policy, &format) in
        OFF.into_iter().flat_map(|policy| Format::ALL.iter().map(move |f| (policy, f)))
    {
        if format == Format::Grpc {
            continue;
        }
        let given = Policy::parse(policy).unwrap();
        let exported = export_with(&given, None, format, EXACT);
        let exported = exported.unwrap_or_else(|error| panic!("{format}, {policy}: {error}"));
        assert!(exported.warnings.is_empty() && exported.differences.is_empty(), "{exported:?}");
        assert_eq!(exported.policy, given);
        let (read, _) = import(&exported.text, format).unwrap();
        assert_eq!((read.max_retries(), read.preview().count()), (0, 0), "{}", exported.text);
        // It is exported as it was read, and the nearest export is the same.
        assert_eq!(export_with(&read, None, format, EXACT).unwrap().text, exported.text);
        let options = ExportOptions { nearest: true, ..EXACT };
        assert_eq!(export_with(&given, None, format, options).unwrap(), exported);
    }
}

/// Its webhook refuses conditions beside `attempts: 0`.
#[test]
fn istio_has_no_other_setting_beside_no_attempts() {
    for policy in ["off", "envoy:max_retries=0,retry_after_max=0s"] {
        let policy = Policy::parse(policy).unwrap();
        let text = export_with(&policy, None, Format::Istio, EXACT).unwrap().text;
        assert_eq!(text, "{\n  \"retries\": {\"attempts\": 0}\n}\n");
    }
}

#[test]
fn grpc_without_retries_has_no_policy() {
    for policy in OFF {
        let policy = Policy::parse(policy).unwrap();
        let error = export_with(&policy, None, Format::Grpc, EXACT).unwrap_err();
        assert_eq!(
            error.to_string(),
            "max_retries 0 has no equivalent in gRPC: its maxAttempts is at least 2; leave retryPolicy \
             out, and it does not retry"
        );
    }
}

/// A policy without a cap needs none if there are no retries.
#[test]
fn nothing_is_warned_of_without_retries() {
    let policy = Policy::parse("exponential:base=1s,max_retries=0").unwrap();
    let exported = export_with(&policy, None, Format::Temporal, EXACT).unwrap();
    assert!(exported.warnings.is_empty(), "{:?}", exported.warnings);
}

/// A budget has an effect on other operations.
#[test]
fn a_budget_is_refused_as_with_retries() {
    let (policy, budget) = (Policy::parse("off").unwrap(), Budget::parse("sre").unwrap());
    for format in [Format::Envoy, Format::Temporal, Format::Nginx] {
        let error = export_with(&policy, Some(&budget), format, EXACT).unwrap_err().to_string();
        assert!(error.starts_with("budget ratio has no equivalent in "), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}
