//! Properties: what is exported waits as the policy does, and what is imported is exported as it
//! was.

#[path = "../../../core/fuzz/checks/corpus.rs"]
mod corpus;
#[path = "../../../core/fuzz/checks/imports.rs"]
mod imports;

use backoff_core::{Budget, Policy, RandomStream};
use backoff_export::{ExportOptions, Format, export, export_with, import};
use proptest::prelude::*;

/// A whole number of some unit, often a round one.
fn duration() -> impl Strategy<Value = String> {
    let unit = prop_oneof![Just("ns"), Just("us"), Just("ms"), Just("s"), Just("m")];
    (prop_oneof![1_u64..20, 1_u64..5000], unit).prop_map(|(number, unit)| format!("{number}{unit}"))
}

fn maybe(key: &'static str, value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let pair = value.prop_map(move |value| format!(",{key}={value}"));
    prop_oneof![5 => Just(String::new()), 1 => pair]
}

fn growth() -> impl Strategy<Value = String> {
    let multiplier = prop_oneof![
        Just(""),
        Just(",multiplier=1.5"),
        Just(",multiplier=1.6"),
        Just(",multiplier=4/3"),
        Just(",multiplier=3"),
        Just(",multiplier=1"),
    ];
    let exponential = (duration(), multiplier)
        .prop_map(|(base, multiplier)| format!("exponential:base={base}{multiplier}"));
    let constant = prop_oneof![Just("0s".to_owned()), duration()]
        .prop_map(|base| format!("constant:base={base}"));
    prop_oneof![
        6 => exponential,
        3 => constant,
        1 => duration().prop_map(|base| format!("linear:base={base}")),
        2 => Just("exponential:base=10s".to_owned()),
    ]
}

fn jitter() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        2 => Just(""),
        1 => Just(",jitter=full"),
        2 => Just(",jitter=0.2"),
        2 => Just(",jitter=slotted,jitter_slot=1ms"),
        1 => Just(",jitter=equal"),
    ]
}

/// What an engine may do with hints of a server.
fn hints() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just(""),
        Just(",retry_after=exact,retry_after_max=none"),
        Just(",retry_after_max=0s"),
    ]
}

/// Policies of which many have an equivalent somewhere.
fn policy() -> impl Strategy<Value = Policy> {
    let cap = prop_oneof![Just(String::new()), duration().prop_map(|cap| format!(",cap={cap}"))];
    let cap = prop_oneof![cap, Just(",cap=10m".to_owned())];
    let retries =
        prop_oneof![Just(String::new()), (0_u64..12).prop_map(|n| format!(",max_retries={n}"))];
    let rare = (
        maybe("offset", duration()),
        maybe("floor", duration()),
        maybe("max_elapsed", duration()),
        maybe("throttled_base", duration()),
        maybe("cap_on", Just("delay".to_owned())),
    );
    let rare = rare.prop_map(|(a, b, c, d, e)| [a, b, c, d, e].concat());
    let rare = prop_oneof![4 => Just(String::new()), 1 => rare];
    (growth(), cap, jitter(), retries, hints(), rare).prop_filter_map(
        "valid",
        |(growth, cap, jitter, retries, hints, rare)| {
            Policy::parse([&*growth, &cap, jitter, &retries, hints, &rare].concat()).ok()
        },
    )
}

fn budget() -> impl Strategy<Value = Option<String>> {
    let tokens = 1_u32..=1000;
    let throttle = (tokens, 1_u32..=1000).prop_map(|(tokens, ratio)| {
        Some(format!("throttle:max_tokens={tokens},ratio={ratio}/1000"))
    });
    let concurrent = (0_u32..=1000, 0_u32..100).prop_map(|(ratio, min)| {
        Some(format!("concurrent:ratio={ratio}/1000,min_concurrent={min}"))
    });
    prop_oneof![3 => Just(None), 2 => throttle, 2 => concurrent, 1 => Just(Some("sre".to_owned()))]
}

/// The delays that an operation can wait for.
fn delays(policy: &Policy) -> Vec<u64> {
    let last = u32::try_from(policy.max_retries().min(200)).unwrap();
    (0..last).map(|index| policy.delay_ns(RandomStream::from_seed(7), index)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_export_waits_as_the_policy_does(policy in policy(), given in budget()) {
        let given = given.map(|budget| Budget::parse(budget).unwrap());
        for &format in Format::ALL {
            let Ok(text) = export(&policy, given.as_ref(), format) else { continue };
            let (read, budget) = import(&text, format).unwrap();
            prop_assert_eq!(delays(&read), delays(&policy), "{}: {}", format, text);
            prop_assert_eq!(read.max_retries(), policy.max_retries());
            let text_of = |budget: Option<&Budget>| budget.map(|budget| budget.text().to_string());
            // Envoy's limit stays unless a budget sets another.
            let default = (format == Format::Envoy).then(|| "concurrent:ratio=0".to_owned());
            let expected = text_of(given.as_ref()).or(default);
            prop_assert_eq!(text_of(budget.as_ref()), expected, "{}", format);
            // The policy that was read has one spelling, which comes back as it is.
            let again = export(&read, budget.as_ref(), format).unwrap();
            prop_assert_eq!(import(&again, format).unwrap().0, read);
        }
    }

    #[test]
    fn no_text_is_too_strange_to_import(text in "[ -~\\n]{0,80}", format in 0_usize..7) {
        let _ = import(&text, Format::ALL[format]);
    }

    #[test]
    fn no_number_is_too_strange_to_import(number in "-?[0-9]{0,25}(\\.[0-9]{0,12})?(e[0-9]{1,3})?", unit in "(s|ms|m|)") {
        let texts = [
            (Format::Grpc, format!(r#"{{"methodConfig":[{{"retryPolicy":{{"maxAttempts":{number},"initialBackoff":"{number}{unit}","maxBackoff":"{number}s","backoffMultiplier":{number}}}}}],"retryThrottling":{{"maxTokens":3,"tokenRatio":{number}}}}}"#)),
            (Format::Envoy, format!(r#"{{"retry_policy":{{"num_retries":3,"retry_back_off":{{"base_interval":"{number}s","max_interval":"{number}{unit}"}}}}}}"#)),
            (Format::Istio, format!(r#"{{"retries":{{"attempts":3,"backoff":"{number}{unit}"}},"trafficPolicy":{{"retryBudget":{{"percent":{number}}}}}}}"#)),
            (Format::Temporal, format!(r#"{{"initialInterval":"{number}s","maximumInterval":"{number}s","backoffCoefficient":{number}}}"#)),
            (Format::StepFunctions, format!(r#"{{"Retry":[{{"IntervalSeconds":{number},"BackoffRate":{number},"MaxDelaySeconds":{number}}}]}}"#)),
            (Format::K8sJob, format!(r#"{{"spec":{{"backoffLimit":{number}}}}}"#)),
            (Format::Nginx, format!("proxy_next_upstream_timeout {number}{unit}; proxy_next_upstream_tries {number};")),
        ];
        for (format, text) in texts {
            let _ = import(&text, format);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// The nearest export has the delays of the policy that it says it has, and it differs only where
    /// the exact export is refused.
    #[test]
    fn a_nearest_export_waits_as_it_says(policy in policy(), given in budget()) {
        let given = given.map(|budget| Budget::parse(budget).unwrap());
        for &format in Format::ALL {
            let options = ExportOptions { nearest: true, servers: Some(4), yaml: false };
            let exported = export_with(&policy, given.as_ref(), format, options);
            let exported = match exported {
                Ok(exported) => exported,
                Err(error) => {
                    prop_assert_eq!((format, policy.max_retries()), (Format::Grpc, 0), "{}", error);
                    continue;
                }
            };
            let (read, _) = import(&exported.text, format).unwrap();
            prop_assert_eq!(delays(&read), delays(&exported.policy), "{}: {}", format, exported.text);
            prop_assert_eq!(read.max_retries(), exported.policy.max_retries());
            let options = ExportOptions { nearest: false, ..options };
            let exact = export_with(&policy, given.as_ref(), format, options);
            prop_assert_eq!(exported.differences.is_empty(), exact.is_ok(), "{}: {:?}", format, exported);
            if let Ok(exact) = exact {
                prop_assert_eq!(exact, exported);
            }
        }
    }
}

/// The generator above makes exports of every format.
#[test]
fn every_format_is_exported_often() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let (mut runner, mut counts) = (TestRunner::deterministic(), [0; 7]);
    for _ in 0..3000 {
        let policy = policy().new_tree(&mut runner).unwrap().current();
        for (count, format) in counts.iter_mut().zip(Format::ALL) {
            *count += u32::from(export(&policy, None, *format).is_ok());
        }
    }
    assert!(counts.iter().all(|&count| count >= 5), "{counts:?}");
}

#[test]
fn what_the_fuzzer_found_is_read_or_refused() {
    let inputs = corpus::inputs(include_str!("../../../core/fuzz/corpus/imports.hex"));
    for input in inputs {
        imports::check(&input);
    }
}
