//! `backoff preview`.

use serde_json::Value;

use crate::support::{backoff, folder, json, stdout, text, vectors};

#[test]
fn the_rows_of_the_vectors() {
    let members = ["min", "mean", "max", "total_min", "total_mean", "total_max"];
    let mut count = 0;
    for case in vectors("previews.json") {
        let (first, retries) = (case["first"].to_string(), case["count"].to_string());
        let arguments =
            ["preview", text(&case, "policy"), "--first", &first, "--retries", &retries];
        if case["count"] == 0 {
            continue;
        }
        let rows = json(&arguments);
        let expected = case["rows"].as_array().unwrap();
        assert_eq!(rows.len(), expected.len(), "{arguments:?}");
        for (position, (row, expected)) in rows.iter().zip(expected).enumerate() {
            let index = case["first"].as_u64().unwrap() + position as u64;
            assert_eq!(row["index"], Value::from(index));
            for member in members {
                let found = &row[format!("{member}_ns")];
                assert_eq!(*found, expected[member], "{arguments:?}, {index}, {member}");
            }
        }
        count += rows.len();
    }
    assert!(count > 500, "{count}");
}

#[test]
fn a_policy_without_a_limit_shows_ten_rows_and_says_so() {
    let shown = stdout(&["preview", "full:base=100ms"]);
    assert_eq!(shown.lines().filter(|line| line.contains('●')).count(), 10);
    assert!(shown.contains("does not limit its retries"), "{shown}");
    let shown = stdout(&["preview", "full:base=100ms", "--retries", "3"]);
    assert_eq!(shown.lines().filter(|line| line.contains('●')).count(), 3);
}

#[test]
fn the_end_of_a_policy() {
    let end = |policy| stdout(&["preview", policy]).lines().last().unwrap().to_owned();
    assert_eq!(end("constant:base=1s,max_retries=2"), "The policy stops after 2 retries.");
    assert_eq!(end("constant:base=1s,max_retries=1"), "The policy stops after 1 retry.");
    assert_eq!(end("constant:base=1s,max_retries=0"), "This policy never retries.");
    let elapsed = end("constant:base=1s,max_elapsed=3s");
    assert_eq!(elapsed, "No later wait can end within max_elapsed.");
    let elapsed = end("constant:base=1s,max_retries=2,max_elapsed=1s");
    assert_eq!(elapsed, "No later wait can end within max_elapsed.");
}

#[test]
fn lines_are_as_wide_as_asked() {
    let widest = |columns: &str| {
        let mut command = backoff();
        command.args(["preview", "sidekiq"]).env("COLUMNS", columns);
        let shown = String::from_utf8(command.output().unwrap().stdout).unwrap();
        let rows = shown.lines().skip(1).filter(|line| !line.is_empty());
        rows.map(|line| line.chars().count()).max().unwrap()
    };
    assert_eq!(widest("80"), 80);
    assert_eq!(widest("120"), 120);
    assert!(widest("60") <= 60, "no bars");
    assert_eq!(widest("no number"), 80);
    assert_eq!(widest("99999999"), 200);
}

/// On a linear scale most of them would be dots at the left end.
#[test]
fn bars_of_very_different_lengths_have_a_logarithmic_scale() {
    let shown = stdout(&["preview", "sidekiq"]);
    assert!(shown.contains("\nThe scale of the bars is logarithmic.\n"), "{shown}");
    let place = |line: &str| line.chars().position(|character| character == '●');
    let rows: Vec<_> = shown.lines().filter_map(place).collect();
    let places: std::collections::BTreeSet<_> = rows.iter().collect();
    assert!(rows.len() == 25 && places.len() >= 15 && rows.is_sorted(), "{shown}");
    assert!(!stdout(&["preview", "default"]).contains("logarithmic"));
}

#[test]
fn the_means_of_decorrelated_jitter_are_estimates_from_the_cap_on() {
    let note = "From the row that can reach the cap on, the mean is an upper estimate.\n";
    // The longest delays are 300 ms, 900 ms and 1 s.
    let policy = "decorrelated:base=100ms,cap=1s,max_retries=3";
    assert!(stdout(&["preview", policy]).contains(note));
    assert!(!stdout(&["preview", policy, "--retries", "2"]).contains(note));
    assert!(!stdout(&["preview", "full:base=100ms,cap=1s,max_retries=9"]).contains(note));
    assert!(stdout(&["explain", policy]).contains(", and at most "));
    let below = "decorrelated:base=100ms,cap=1s,max_retries=2";
    assert!(!stdout(&["explain", below]).contains(", and at most "));
}

#[test]
fn the_help_has_the_limits() {
    let help = stdout(&["preview", "--help"]);
    assert!(help.contains("at most 10000 ") && help.contains("at most 100000;"), "{help}");
}

#[test]
fn a_limit_of_time_is_a_limit() {
    let shown = stdout(&["preview", "full:base=1s,max_elapsed=10s"]);
    assert!(shown.contains("Only max_elapsed=10s limits the retries"), "{shown}");
}

#[test]
fn a_picture_shows_the_range_of_each_delay() {
    let path = folder("preview").join("delays.svg");
    let svg = format!("--svg={}", path.display());
    stdout(&["preview", "full:base=1s,cap=30s,max_retries=6", &svg]);
    let text = std::fs::read_to_string(path).unwrap();
    let description = "<desc>exponential:base=1s,cap=30s,jitter=full,max_retries=6. The lines end at: \
                       longest: 30 at 5 earlier retries; mean: 15 at 5 earlier retries; shortest: 0 at 5 earlier retries.</desc>";
    assert!(text.contains("<title>Delay of each retry in s</title>"), "{text}");
    assert!(text.contains(description), "{text}");
}
