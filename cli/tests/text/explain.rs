//! `backoff explain`.

use serde_json::{Value, json as value};

use crate::support::{json, stdout, text, vectors};

#[test]
fn every_preset_is_explained_with_its_canonical_string_and_its_source() {
    for case in vectors("presets.json").iter().filter(|case| case["of"] == "policy") {
        let line = json(&["explain", text(case, "preset")]).remove(0);
        assert_eq!(line["canonical"], case["canonical"]);
        assert_eq!(line["preset"]["name"], case["preset"]);
        assert!(!text(&line["preset"], "source").is_empty());
        assert!(line["sentences"].as_array().unwrap().len() >= 4, "{line}");
        // The string is not called a preset, and means the same.
        let of_string = json(&["explain", text(case, "string")]).remove(0);
        assert_eq!(of_string["preset"], Value::Null);
        assert_eq!(of_string["sentences"], line["sentences"]);
    }
}

#[test]
fn every_field_is_there() {
    let line = json(&["explain", "grpc-connect"]).remove(0);
    let expected = value!({
        "growth": "exponential", "base": "1000000000", "multiplier": "1.6", "offset": "0",
        "cap": "120000000000", "cap_on": "window", "floor": "0", "jitter": "proportional",
        "jitter_below": "0.2", "jitter_above": "0.2", "max_retries": 4294967296_u64,
        "max_elapsed": "9223372036854775807", "throttled_base": "1000000000",
        "retry_after": "at_least", "retry_after_max": "3600000000000",
        "retry_after_max_extra": "9223372036854775807",
    });
    assert_eq!(line["fields"], expected);
}

/// The code of each advice, and what to change.
fn advice(arguments: &[&str]) -> Vec<(String, Value)> {
    let line = json(&[&["explain"], arguments].concat()).remove(0);
    let all = line["advice"].as_array().unwrap().clone();
    all.iter().map(|advice| (text(advice, "code").to_owned(), advice["change"].clone())).collect()
}

#[test]
fn following_all_advice_leaves_none() {
    for preset in ["none", "gax", "google-cloud", "polly-v8", "temporal", "k8s-workqueue"] {
        let mut arguments = vec![preset.to_owned(), "--seed".to_owned(), "42".to_owned()];
        for step in 0.. {
            assert!(step < 10, "{arguments:?} has no end");
            let given: Vec<_> = arguments.iter().map(String::as_str).collect();
            let Some((_, change)) = advice(&given).into_iter().next() else { break };
            if let Some(policy) = change["policy"].as_str() {
                policy.clone_into(&mut arguments[0]);
            } else if let Some(budget) = change["budget"].as_str() {
                arguments.extend(["--budget".to_owned(), budget.to_owned()]);
            } else {
                let option = text(&change, "option");
                arguments.extend(option.split(' ').map(str::to_owned));
            }
        }
    }
}

#[test]
fn a_change_keeps_the_rest_of_the_policy() {
    let change = |policy: &str, code: &str| {
        let all = advice(&[policy, "--budget", "sre"]);
        let found = all.into_iter().find(|(found, _)| found == code);
        found.unwrap_or_else(|| panic!("{policy} has no {code}")).1["policy"].clone()
    };
    assert_eq!(
        change("gax:retry_after=spread", "no_limit"),
        "exponential:base=1s,cap=30s,floor=1ns,jitter=full,max_retries=5,retry_after=spread"
    );
    assert_eq!(change("polly-v8", "no_jitter"), "constant:base=2s,jitter=full,max_retries=3");
    assert_eq!(
        change("google-cloud:max_retries=9", "jitter_ends_at_cap"),
        "exponential:base=1s,cap=32s,jitter=additive,jitter_max=1s,max_retries=9"
    );
}

#[test]
fn a_budget_is_explained() {
    let line = json(&["explain", "default", "--budget", "aws-sdk-standard"]).remove(0);
    assert_eq!(line["budget"]["canonical"], "quota:cost_timeout=10");
    assert_eq!(line["budget"]["preset"]["name"], "aws-sdk-standard");
    let expected = "It holds 500 tokens. A retry takes 5 (10 after a timeout), and a success gives \
                    back what its last retry took, or 1.";
    assert_eq!(line["budget"]["sentence"], expected);
    for case in vectors("presets.json").iter().filter(|case| case["of"] == "budget") {
        let shown = stdout(&["explain", "default", "--budget", text(case, "preset")]);
        assert!(shown.contains(&format!("\n{}\n", text(case, "canonical"))), "{shown}");
    }
}

#[test]
fn the_sentences_of_a_policy_with_everything() {
    let line = json(&[
        "explain",
        "linear:base=1s,increment=500ms,offset=250ms,cap=10s,floor=100ms,jitter=additive,\
         jitter_max=2s,jitter_increment=1ms,max_retries=4,max_elapsed=1m,throttled_base=5s,\
         retry_after=spread,retry_after_max=none,retry_after_max_extra=30s",
    ])
    .remove(0);
    let expected = value!([
        "The window begins at 1s and grows by 500ms with each retry; 250ms are added to it.",
        "The first windows: 1.25s, 1.75s, 2.25s, 2.75s.",
        "Each delay is the window and 0 to 2s more, a range that grows by 1ms with each retry.",
        "The cap allows no window longer than 10s.",
        "No delay is shorter than the floor, 100ms.",
        "It stops after 4 retries (5 attempts), or when the next wait would end later than 1m \
         after the start.",
        // 8 s, and at most 4 * 2 s + 0 + 1 + 2 + 3 ms of jitter.
        "All waits together take 8s to 16.0s, and 12.0s on average.",
        "After a throttled failure the base is 5s instead, which the times above leave out.",
        "A server's Retry-After replaces the delay: the wait is drawn from it to 1.5 times it, at \
         most 30s longer than the delay.",
    ]);
    assert_eq!(line["sentences"], expected);
}

#[test]
fn the_longest_wait_may_be_after_a_throttled_failure() {
    let text = stdout(&["explain", "constant:base=1s,max_retries=3,throttled_base=10s,cap=15s"]);
    assert!(text.contains("no retry waits longer than 10s."), "{text}");
}
