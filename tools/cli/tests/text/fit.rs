//! `backoff fit`.

use serde_json::Value;

use crate::support::{json, output, stderr, text, vectors};

#[test]
fn the_fits_of_the_vectors() {
    let (mut fitted, mut refused, mut wrong) = (0, 0, 0);
    for case in vectors("fits.json") {
        let (attempts, field) = (case["attempts"].to_string(), text(&case, "field"));
        let within = format!("{}ns", text(&case, "total"));
        let arguments = ["fit", text(&case, "policy"), "--attempts", &attempts, "--json"];
        let run = output(&[&arguments[..], &["--within", &within, "--field", field]].concat());
        // Without a wait there is nothing to fit, and some policies stop before the last attempt.
        if run.status.code() == Some(2) {
            wrong += 1;
            continue;
        }
        let line: Value = serde_json::from_slice(&run.stdout).unwrap();
        let error = &case["error"];
        if let Some(canonical) = case["canonical"].as_str() {
            assert_eq!(run.status.code(), Some(0), "{arguments:?}: {run:?}");
            assert_eq!(text(&line, "canonical"), canonical, "{arguments:?}");
            assert_rounded(canonical, text(&line, "rounded"), field);
            fitted += 1;
        } else {
            assert_eq!(run.status.code(), Some(1), "{arguments:?}: {run:?}");
            let is_unused = field == "base" && text(&case, "policy").starts_with("steps:");
            let wanted = if is_unused { "unused" } else { "does_not_fit" };
            assert_eq!((&line["error"], &error["code"]), (&wanted.into(), &line["error"]));
            for member in ["field", "value", "limit", "message"] {
                assert_eq!(line[member], error[member], "{arguments:?}");
            }
            refused += 1;
        }
    }
    assert!(fitted > 50 && refused > 5 && wrong < 40, "{fitted} {refused} {wrong}");
}

/// The field has three digits, and is at most a hundredth shorter.
fn assert_rounded(exact: &str, rounded: &str, field: &str) {
    let value = |policy: &str| {
        let fields = json(&["explain", policy]).remove(0)["fields"].clone();
        fields[field].as_str().map_or(i64::MAX as u64, |ns| ns.parse::<u64>().unwrap())
    };
    let (exact, rounded) = (value(exact), value(rounded));
    assert!(rounded <= exact && exact - rounded <= exact / 100, "{exact} {rounded}");
    let digits = rounded.to_string();
    assert!(rounded == exact || digits.trim_end_matches('0').len() <= 3, "{exact} {rounded}");
}

#[test]
fn a_refusal_reads_well() {
    let run = output(&["fit", "full:base=1s,cap=20s", "--attempts", "40", "--within", "1ms"]);
    let expected = "error: nothing fits: even with the shortest base, 40 attempts of \
                    exponential:base=1s,cap=20s,jitter=full can wait 1m 54s, and that is above 1ms; \
                    allow fewer --attempts or a longer --within\n";
    assert_eq!((run.status.code(), stderr(&run).as_str()), (Some(1), expected));
    let list = output(&["fit", "svix", "--attempts", "4", "--within", "5m"]);
    assert_eq!(stderr(&list), "error: a list of waits has no base; use --field cap\n");
    let run = output(&["fit", "default", "--attempts", "1", "--within", "0s"]);
    assert!(
        run.status.code() == Some(2) && stderr(&run).contains("not a whole number from 2 to 65536")
    );
}

#[test]
fn the_explanation_says_what_changed_and_what_is_missing() {
    let explained = |policy, attempts, field| {
        let arguments = ["fit", policy, "--attempts", attempts, "--within", "700ms"];
        stderr(&output(&[&arguments[..], &["--field", field]].concat()))
    };
    // 100 ms + 200 ms + 400 ms.
    let text = explained("full:base=1s,cap=20s", "4", "base");
    let expected = "\
4 attempts wait at most 700ms in total, within 700ms; the base was 1s and is 100ms
the policy does not limit the number of its retries; to stop it, add max_retries=3
";
    assert_eq!(text, expected);
    let text = explained("full:base=100ms,max_retries=9", "4", "cap");
    assert!(text.contains("the cap was none and is "), "{text}");
    assert!(text.contains("the policy retries 9 times; to stop it earlier, set max_retries=3"));
    let text = explained("full:base=1s,max_retries=3,max_elapsed=699ms", "4", "base");
    let note = "max_elapsed=699ms can stop it earlier; the waits alone take up to 700ms\n";
    assert!(text.ends_with(note), "{text}");
    let text = explained("full:base=1s,max_retries=3,max_elapsed=700ms", "4", "base");
    assert_eq!(text.lines().count(), 1, "{text}");
    let text = explained("full:base=1s,max_retries=3", "4", "base");
    assert_eq!(text.lines().count(), 1, "{text}");
}

#[test]
fn a_policy_that_stops_before_the_last_attempt_is_refused() {
    for (policy, attempts, words) in [
        (
            "full:base=1s,max_retries=1",
            "4",
            "--attempts 4 needs 3 retries, but the policy stops after 1 retry; set \
             max_retries=3, or --attempts 2\n",
        ),
        (
            "off",
            "2",
            "--attempts 2 needs 1 retry, but the policy allows no retries; set max_retries=1\n",
        ),
    ] {
        let run = output(&["fit", policy, "--attempts", attempts, "--within", "2s"]);
        assert_eq!(run.status.code(), Some(2), "{run:?}");
        assert!(stderr(&run).contains(words), "{run:?}");
        assert_eq!(run.stdout, b"");
    }
}

#[test]
fn what_the_cap_takes_from_the_waits_is_said() {
    let warnings = |policy, attempts, within, field| {
        let arguments = ["fit", policy, "--attempts", attempts, "--within", within];
        let text = stderr(&output(&[&arguments[..], &["--field", field]].concat()));
        let of_json = stderr(&output(&[&arguments[..], &["--field", field, "--json"]].concat()));
        let lines = text.lines().filter(|line| line.starts_with("warning: "));
        let warnings = lines.map(|line| line.to_owned() + "\n").collect::<String>();
        assert_eq!(of_json, warnings);
        warnings
    };
    let capped = "warning: the cap, 1s, allows no longer base; set a longer cap\n";
    let growth = "warning: the waits no longer grow\n";
    let jitter = "warning: the waits no longer have jitter: clients that fail together retry \
                  together\n";
    let full = "full:base=100ms,cap=1s,max_retries=5";
    assert_eq!(warnings(full, "6", "1h", "base"), [capped, growth].concat());
    assert_eq!(warnings(full, "6", "2s", "base"), "");
    let decorrelated = "decorrelated:base=100ms,cap=1s,max_retries=5";
    assert_eq!(warnings(decorrelated, "6", "1h", "base"), [capped, growth, jitter].concat());
    // What never grew and had no jitter has lost nothing.
    assert_eq!(warnings("constant:base=100ms,cap=1s", "6", "1h", "base"), capped);
    let met = "warning: the cap is as short as the base, 1s; set a shorter base\n";
    assert_eq!(warnings("full:base=1s", "4", "3s", "cap"), [met, growth].concat());
    // A window of less than two slots.
    let slotted = "constant:base=1s,jitter=slotted,jitter_slot=300ms";
    assert_eq!(warnings(slotted, "2", "299ms", "base"), jitter);
}

#[test]
fn a_total_that_is_just_too_long_has_all_its_digits() {
    let run = output(&["fit", "constant:base=1s,floor=667ms", "--attempts", "4", "--within", "2s"]);
    assert!(stderr(&run).contains(" can wait 2.001s, and that is above 2s;"), "{run:?}");
    let run =
        output(&["fit", "constant:base=1s,floor=1000100us", "--attempts", "3", "--within", "2s"]);
    assert!(stderr(&run).contains(" can wait 2.0002s, and that is above 2s;"), "{run:?}");
}
