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
        let is_off = line["fields"]["max_retries"] == 0;
        let least = if is_off { 1 } else { 4 };
        assert!(line["sentences"].as_array().unwrap().len() >= least, "{line}");
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
        "jitter_below": "0.2", "jitter_above": "0.2", "max_retries": null,
        "max_elapsed": null, "throttled_base": "1000000000",
        "retry_after": "at_least", "retry_after_max": "3600000000000",
        "retry_after_max_extra": null, "attempt_timeout": null, "reset_after": null,
        "elapsed_from": "begin",
    });
    assert_eq!(line["fields"], expected);
}

#[test]
fn what_concerns_attempts_is_explained() {
    let policy = "steps:waits=5s/5m/30m,max_retries=5,max_elapsed=1d,attempt_timeout=10s,\
                  reset_after=10m,elapsed_from=failure";
    let text = stdout(&["explain", policy]);
    for sentence in [
        "The windows are 5s, 5m, 30m, and then the last one.",
        "when the next wait would end later than 1d after the first failure.",
        "An attempt may take 10s, or until max_elapsed ends, if that is sooner.",
        "If an attempt fails after 10m or more, the retries and max_elapsed count anew.",
        // 5 s, 5 min, and 3 times 30 min.
        "All waits together take 1h 35m, until they count anew.",
    ] {
        assert!(text.contains(sentence), "{text}");
    }
    let line = json(&["explain", policy]).remove(0);
    assert_eq!(line["fields"]["waits"], value!(["5000000000", "300000000000", "1800000000000"]));
    let one = stdout(&["explain", "steps:waits=5s,offset=1s,max_retries=2"]);
    assert!(one.contains("The window is always 5s; 1s are added to it."), "{one}");
    let single = stdout(&["explain", "off:attempt_timeout=30s"]);
    assert!(single.ends_with("max_retries is 0.\n- An attempt may take 30s.\n"), "{single}");
}

#[test]
fn one_retry_is_no_retries() {
    for policy in ["full:base=1s,max_retries=1", "full:base=1s,max_retries=1,max_elapsed=9s"] {
        let text = stdout(&["explain", policy]);
        assert!(text.contains("\n- It stops after 1 retry (2 attempts)"), "{text}");
    }
}

#[test]
fn a_changed_preset_is_called_changed() {
    let shown = |policy: &str, budget: &str| stdout(&["explain", policy, "--budget", budget]);
    let changed = shown("gax:cap=9s", "sre:ratio=0.2");
    assert!(changed.contains("\npreset gax, changed: gax-go") && changed.contains("sre, changed:"));
    let same = shown("gax:cap=30s", "sre:ratio=0.1");
    assert!(same.contains("\npreset gax: gax-go") && same.contains("\npreset sre: "), "{same}");
}

#[test]
fn no_saturated_number_is_called_exact() {
    let explained = stdout(&["explain", "constant:base=1m,max_retries=4294967295"]);
    // (2^32)^3 = 2^96, and 2^32 minutes.
    assert!(explained.contains("multiply it by 79228162514264337593543950336."), "{explained}");
    assert!(
        explained.contains("\n- All waits together take more than 292 years.\n"),
        "{explained}"
    );
    assert!(explained.contains(" take more than 292 years: too long if"), "{explained}");
    let many = "full:base=106751d,max_retries=2";
    let explained = stdout(&["explain", many]);
    let total = "\n- All waits together take 0s to more than 292 years, and 292 years on average.";
    assert!(explained.contains(total), "{explained}");
    let shown = stdout(&["preview", many]);
    assert!(shown.contains("292 years  > 292 years"), "{shown}");
    let drawn = ["delays", "constant:base=106751d", "--seed=1", "--count=3"];
    assert_eq!(stdout(&drawn).matches("> 292 years\n").count(), 2);
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
        "exponential:base=1s,cap=30s,floor=1ns,jitter=full,max_retries=3,retry_after=spread"
    );
    assert_eq!(
        change("steps:waits=5s/5m/30m/2h,jitter=10%", "no_limit"),
        "steps:jitter=0.1,max_retries=4,waits=5s/5m/30m/2h"
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
        "The cap allows no window longer than 10s, which its retries never reach.",
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

/// The first line of the warnings, with what to write.
#[test]
fn a_policy_without_a_limit_is_the_first_warning() {
    for (policy, words) in [
        ("full:base=200ms", "or write default:base=200ms, which keeps the limit of `default`."),
        ("immediate", "it retries for ever, at once. Add max_retries=3; `off` makes no retries."),
        ("constant:base=1s,jitter=full", "it retries for ever. Add max_retries=3."),
    ] {
        let text = stdout(&["explain", policy]);
        let first = text.lines().find(|line| line.starts_with("warning: ")).unwrap();
        let expected = "warning: It has no limit: while the calls fail, it retries for ever";
        assert!(first.starts_with(expected) && first.ends_with(words), "{text}");
        assert!(advice(&[policy])[0].1["policy"].as_str().unwrap().contains("max_retries=3"));
    }
    assert!(!stdout(&["explain", "off"]).contains("for ever"));
    assert!(!stdout(&["explain", "default:base=200ms"]).contains("for ever"));
}

/// No note takes back what a warning asks for.
#[test]
fn warnings_have_one_policy_together() {
    let line = json(&["explain", "exponential:base=100ms", "--budget", "sre"]).remove(0);
    let combined = text(&line, "combined");
    assert_eq!(combined, "exponential:base=100ms,jitter=full,max_retries=3");
    assert_eq!(advice(&[combined, "--budget", "sre"]), []);
    let shown = stdout(&["explain", "exponential:base=100ms", "--budget", "sre"]);
    let end = format!(
        "\nFor all warnings about the policy together, use {combined}\n\
         - The change for \"It has no limit\" makes the one for \"It has no cap\" needless.\n"
    );
    assert!(shown.ends_with(&end), "{shown}");
    assert_eq!(json(&["explain", "default"]).remove(0)["combined"], Value::Null);
}

#[test]
fn a_change_that_makes_another_needless_says_so() {
    let end = |policy: &str| {
        let shown = stdout(&["explain", policy, "--budget", "sre"]);
        let end = shown.split("\nFor all warnings about the policy together, use ").nth(1);
        end.unwrap_or_default().to_owned()
    };
    let expected = "\
exponential:base=100ms,jitter=full,max_retries=3
- The change for \"It has no limit\" makes the one for \"It has no cap\" needless.
";
    assert_eq!(end("full:base=100ms"), expected);
    let expected = "\
exponential:base=100ms,cap=20s,jitter=full,max_retries=3
- The change for \"Its waits are too short\" makes the one for \"It has no jitter\" needless.
";
    assert_eq!(end("constant:base=1ns,max_retries=3"), expected);
    // Its 1000th wait is long, its third one is not.
    let expected = "\
exponential:base=100ms,cap=20s,jitter=full,max_retries=3
- The change for \"It has no limit\" makes the one for \"It has no cap\" needless.
- After the change for \"It has no limit\", its waits are too short: none is longer than 4ns, so a \
server that fails gets the retries at once.
- The change for \"Its waits are too short\" makes the one for \"It has no jitter\" needless.
";
    assert_eq!(end("exponential:base=1ns"), expected);
    assert_eq!(end("constant:base=1s,max_retries=3"), "", "one warning");
    assert!(end("none").starts_with("exponential:base=100ms,cap=20s,jitter=full,max_retries=3\n"));
}

#[test]
fn a_change_leads_to_no_other_warning() {
    let change = |policy: &str, code: &str| {
        let all = advice(&[policy, "--budget", "sre"]);
        all.into_iter().find(|(found, _)| found == code).map(|(_, change)| change["policy"].clone())
    };
    // A limit of one minute would allow no retry, and 600 retries are no limit that people choose.
    let long = "constant:base=5m,jitter=full,max_retries=3";
    let shorter = value!("constant:base=20s,jitter=full,max_retries=3");
    assert_eq!(change(long, "long_wait"), Some(shorter));
    let elapsed = "constant:base=100ms,jitter=full,max_elapsed=1m";
    let long = "constant:base=100ms,jitter=full,max_elapsed=10m";
    assert_eq!(change(long, "long_wait"), Some(value!(elapsed)));
    // The floor is why it waits at all.
    let all = "constant:base=0s,cap=5m,floor=5m,max_retries=1";
    let jitter = value!("constant:base=5m,cap=5m,jitter=full,max_retries=1");
    assert_eq!(change(all, "no_jitter"), Some(jitter));
}

#[test]
fn a_limit_of_time_cuts_retries_and_the_cap() {
    let policy = "full:base=1s,cap=10s,max_elapsed=1s,max_retries=5";
    let text = stdout(&["explain", policy]);
    assert!(!text.contains("can reach"), "{text}");
    let note = "note: max_elapsed, 1s, ends most operations before max_retries, 5, does: so many \
                waits take 12.5s on average, and up to 25s.";
    assert!(text.contains(note), "{text}");
    // Both would be 2.00s or 2s, and this is no contradiction.
    let close = "full:base=1333300us,max_elapsed=1999900us,max_retries=2";
    let text = stdout(&["explain", close]);
    assert!(text.contains("max_elapsed, 1.9999s, ends most operations"), "{text}");
    assert!(text.contains(" take 1.99995s on average"), "{text}");
    let more = stdout(&["explain", "full:base=1s,cap=10s,max_elapsed=30s,max_retries=5"]);
    assert!(more.contains("which retry 5 can reach") && !more.contains("max_elapsed,"), "{more}");
}

#[test]
fn shares_are_percent() {
    let sentence = |budget| {
        let line = json(&["explain", "default", "--budget", budget]).remove(0);
        text(&line["budget"], "sentence").to_owned()
    };
    assert!(
        sentence("concurrent").contains("20% of the running ones"),
        "{}",
        sentence("concurrent")
    );
    assert!(sentence("ratio").starts_with("Each operation earns 10% of a retry"));
    assert!(sentence("ratio:max_tokens=1").ends_with(", and at most 1 retry is saved up."));
    assert!(
        sentence("ttl:min_per_second=1").ends_with(", and 1 retry per second is always allowed.")
    );
    assert!(sentence("throttle:max_tokens=1").starts_with("It holds 1 token. "));
    assert!(sentence("rate:max_tokens=1").starts_with("It allows 1 retry at once"));
    assert!(sentence("finagle").starts_with("Each operation earns 20% of a retry for 10s"));
}
