//! What is said of runs that do not recover from an outage.

use std::fs;

use crate::support::{folder, stdout};

/// Six attempts in lockstep keep the server down.
const DOWN: [&str; 8] = [
    "simulate",
    "queue",
    "--capacity=100",
    "--outage=20s..30s",
    "--duration=2m",
    "--runs=4",
    "--policy=gc=google-cloud:max_retries=5",
    "--policy=default",
];

/// The last cell of the rows of a policy.
fn recovery(text: &str, policy: &str) -> String {
    let row = text.lines().rfind(|line| line.starts_with(policy)).unwrap();
    row.rsplit("  ").next().unwrap().trim().to_owned()
}

#[test]
fn a_table_says_how_many_runs_recovered() {
    let text = stdout(&[&DOWN[..], &["--rate=90"]].concat());
    assert_eq!(recovery(&text, "gc "), "never (0 of 4)", "{text}");
    assert!(!recovery(&text, "default").contains("of"), "all did: {text}");
    // Some runs do, if the rate is near the one at which the server stays down.
    let mut found = String::new();
    for seed in 1..20 {
        let (seed, runs) = (format!("--seed={seed}"), "--rate=66");
        found = recovery(&stdout(&[&DOWN[..], &[runs, &seed]].concat()), "gc ");
        if ["(1 of 4)", "(2 of 4)", "(3 of 4)"].iter().any(|some| found.ends_with(some)) {
            return;
        }
    }
    panic!("no seed gives a few of the runs: {found}");
}

#[test]
fn the_column_stays_if_no_run_recovers() {
    let text = stdout(&[&DOWN[..7], &["--rate=90"]].concat());
    assert!(text.contains(" recovery\n") && text.contains("never (0 of 4)"), "{text}");
}

#[test]
fn charts_show_where_no_run_recovers() {
    let path = folder("recovery").join("recovery.svg");
    let svg = format!("--svg={}", path.display());
    let text = stdout(&[&DOWN[..], &["--rate=30,90", "--chart=recovery", &svg]].concat());
    assert!(text.contains('\u{d7}'), "a mark in the terminal: {text}");
    let note = "gc at 90 arrivals per second: 0 of 4 runs recovered (\u{d7})";
    assert!(text.contains(note), "{text}");
    assert!(fs::read_to_string(&path).unwrap().contains(note));
    // Of one rate there are bars, and words instead of the one that is missing.
    stdout(&[&DOWN[..], &["--rate=90", "--chart=recovery", &svg]].concat());
    let picture = fs::read_to_string(path).unwrap();
    assert!(picture.contains(">never</text>") && picture.contains("<rect class=\"mark1\""));
}

#[test]
fn a_comparison_says_how_long_it_watched() {
    // Retries that come too late to be seen.
    let late = "late=constant:base=90s,jitter=0.5,max_retries=20";
    let text = stdout(&["compare", "google-cloud:max_retries=9", late, "default", "--runs=2"]);
    assert!(!text.contains("never"), "{text}");
    assert!(text.contains("not within 1m (0 of 2)"), "{text}");
}

#[test]
fn the_load_has_the_outage_and_the_capacity() {
    let path = folder("marks").join("load.svg");
    let svg = format!("--svg={}", path.display());
    let load = ["simulate", "queue", "--rate=50", "--outage=5s..10s", "--interval=1s", &svg];
    let more = ["--duration=20s", "--runs=1", "--policy=a=none:max_retries=1", "--chart=load"];
    let text = stdout(&[&load[..], &more].concat());
    assert!(text.contains("━ outage from 5 to 10 seconds; the capacity is 100"), "{text}");
    let picture = fs::read_to_string(path).unwrap();
    for mark in [">outage</text>", ">capacity</text>", "<rect class=\"grid\""] {
        assert!(picture.contains(mark), "{mark}: {picture}");
    }
}

/// Ten lines differ in their colours or in the shapes of their marks.
#[test]
fn the_ninth_line_is_not_the_first_again() {
    let path = folder("ten").join("ten.svg");
    let mut all: Vec<_> = ["simulate", "occ", "--clients=2,3", "--runs=1", "--chart=calls"]
        .map(str::to_owned)
        .to_vec();
    all.extend((1..=10).map(|base| format!("--policy=p{base}=full:base={base}ms")));
    all.push(format!("--svg={}", path.display()));
    let text = stdout(&all.iter().map(String::as_str).collect::<Vec<_>>());
    let legend: Vec<_> = text.lines().rev().take(2).collect();
    let marks = legend.concat().chars().filter(|mark| !mark.is_ascii()).collect::<Vec<_>>();
    let different: std::collections::BTreeSet<_> = marks.iter().collect();
    assert_eq!((marks.len(), different.len()), (10, 10), "{text}");
    let picture = fs::read_to_string(path).unwrap();
    // The marks of the first and of the ninth line have one colour and two shapes.
    let marks = |shape: &str| picture.matches(&format!("<{shape} class=\"mark0\"")).count();
    assert_eq!((marks("circle"), marks("polygon")), (2, 2), "{picture}");
}
