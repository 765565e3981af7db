//! `backoff simulate`, `merge`, `compare` and `advise` as users call them.

use std::fs;

use serde_json::Value;

use crate::support::{folder, json, output, stderr, stdout};

fn error(arguments: &[&str]) -> (Option<i32>, String) {
    let run = output(arguments);
    (run.status.code(), stderr(&run))
}

const OCC: &str = "simulate occ --clients 10,20 --runs 7 --seed 1 --policy=full:base=10ms,cap=2s";

fn occ<'a>(more: &[&'a str]) -> Vec<&'a str> {
    OCC.split(' ').chain(more.iter().copied()).collect()
}

#[test]
fn json_has_a_line_for_each_number_of_clients() {
    assert_eq!(stderr(&output(&occ(&[]))), "", "no progress, as this is no terminal");
    let lines = json(&occ(&[]));
    assert_eq!(lines.len(), 2);
    for (line, clients) in lines.iter().zip([10, 20]) {
        assert_eq!(line["model"], "occ");
        assert_eq!(line["policy"], "exponential:base=10ms,cap=2s,jitter=full");
        assert_eq!(line["clients"], clients);
        assert_eq!(line["runs"], 7);
        assert_eq!(line["seed"], "1");
        for measure in ["calls", "time_ms"] {
            let number = |name: &str| line[measure][name].as_f64().unwrap();
            assert!(number("mean") > 0.0 && number("sd") > 0.0, "{line}");
            // Of seven runs.
            assert!((number("sem") * 7_f64.sqrt() / number("sd") - 1.0).abs() < 1e-12, "{line}");
        }
        // Every client succeeds once.
        assert_eq!(line["successes"]["mean"], f64::from(clients));
    }
}

#[test]
fn threads_change_nothing() {
    for format in ["--json", "--csv=-"] {
        let one = stdout(&occ(&[format, "--threads", "1"]));
        assert_eq!(one, stdout(&occ(&[format, "--threads", "2"])));
        assert_eq!(one, stdout(&occ(&[format, "--threads", "5"])));
    }
}

#[test]
fn merged_parts_print_what_the_whole_prints() {
    let folder = folder("merged");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let sweep = |more: &[&str]| {
        occ(&[&["--policy", "none;budget=sre", "--interval=1s"], more].concat()).join("\n")
    };
    let split = |text: &str| text.split('\n').map(str::to_owned).collect::<Vec<_>>();
    let run = |text: &str| stdout(&split(text).iter().map(String::as_str).collect::<Vec<_>>());
    for of in [1, 3, 9] {
        let parts: Vec<_> = (1..=of).map(|number| path(&format!("{number}-{of}.part"))).collect();
        for (number, part) in (1..).zip(&parts) {
            let shard = format!("--shard={number}/{of}");
            if number == 1 {
                fs::write(part, run(&sweep(&[&shard]))).unwrap();
            } else {
                assert_eq!(run(&sweep(&[&shard, "--out", part])), "");
            }
        }
        let merge = |more: &[&str]| {
            let parts = parts.iter().rev().map(String::as_str);
            stdout(
                &std::iter::once("merge")
                    .chain(parts)
                    .chain(more.iter().copied())
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(merge(&["--json"]), run(&sweep(&["--json"])));
        assert_eq!(merge(&["--csv=-"]), run(&sweep(&["--csv=-"])));
        assert_eq!(merge(&[]), run(&sweep(&[])));
        let [svg, whole_svg] = [path("merged.svg"), path("whole.svg")];
        merge(&["--svg", &svg, "--chart=calls,load"]);
        run(&sweep(&["--svg", &whole_svg, "--chart=calls,load"]));
        assert_eq!(fs::read(svg).unwrap(), fs::read(whole_svg).unwrap());
    }
}

#[test]
fn wrong_parts_are_refused() {
    let folder = folder("wrong");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let [first, second, other, short, damaged, empty, foreign] =
        ["first", "second", "other", "short", "damaged", "empty", "foreign"].map(path);
    stdout(&occ(&["--shard=1/2", "--out", &first]));
    stdout(&occ(&["--shard=2/2", "--out", &second]));
    stdout(&["simulate", "occ", "--clients=10", "--runs=7", "--shard=2/2", "--out", &other]);
    let text = fs::read_to_string(&second).unwrap();
    fs::write(&short, text.lines().next().unwrap()).unwrap();
    fs::write(&damaged, text.replacen("\"sum\":\"1", "\"sum\":\"2", 1)).unwrap();
    fs::write(&empty, "").unwrap();
    fs::write(&foreign, "{}").unwrap();
    for (parts, expected) in [
        (vec![&first], "point 1 of 2: expected each of the 2 shards once, found 1/2"),
        (vec![&first, &first], "found 1/2, 1/2"),
        (vec![&first, &other], "belongs to another sweep, which has 2 points"),
        (vec![&first, &short], "point 2 of 2: expected each of the 2 shards once, found 1/2"),
        (vec![&first, &damaged], "damaged, line 1: the checksum is wrong"),
        (vec![&first, &empty], "empty has no parts"),
        (vec![&foreign], "foreign, line 1: not a part: missing field `part` at line 1 column 2\n"),
        (vec![&path("missing")], "cannot read"),
    ] {
        let arguments: Vec<_> =
            std::iter::once("merge").chain(parts.iter().map(|part| part.as_str())).collect();
        let (code, message) = error(&arguments);
        assert!(code == Some(1) && message.contains(expected), "{expected}: {message}");
    }
}

#[test]
fn groups_share_a_server() {
    let arguments = [
        "simulate",
        "queue",
        "--rate=50",
        "--duration=5s",
        "--runs=3",
        "--group=few=none:max_retries=2;weight=1",
        "--group=many=default;weight=9;budget=sre",
    ];
    let lines = json(&arguments);
    assert_eq!(lines.len(), 1);
    let (line, groups) = (&lines[0], lines[0]["groups"].as_array().unwrap());
    assert_eq!(line["name"], "few + many");
    assert_eq!((&line["policy"], &line["clients"]), (&Value::Null, &Value::Null));
    assert_eq!(line["rate"], 50.0);
    let operations = |value: &Value| value["operations"]["mean"].as_f64().unwrap();
    let share = operations(&groups[0]) / operations(line);
    assert!((share - 0.1).abs() < 0.06, "{line}");
    assert_eq!(groups[1]["budget"], "sre");
}

#[test]
fn invalid_arguments_are_explained() {
    for (arguments, expected) in [
        (vec!["simulate", "occ", "--policy", "ful:base=1s"], "unknown"),
        (vec!["simulate", "occ", "--clients", "9-1"], "ends before it begins"),
        (vec!["simulate", "occ", "--rate", "5", "--clients", "5"], "cannot be used with"),
        (vec!["simulate", "occ", "--runs", "0"], "the number of runs 0 is not from 1 to"),
        (vec!["simulate", "occ", "--shard", "3/2"], "is not a shard such as 2/5"),
        (vec!["simulate", "occ", "--threads", "0"], "not a whole number from 1 to 1024"),
        (vec!["simulate", "occ", "--out", "x"], "--shard"),
        (vec!["simulate", "queue", "--outage", "2s..1s"], "it ends before it begins"),
        (
            vec!["simulate", "occ", "--policy", "default:attempt_timeout=1s"],
            "a policy with attempt_timeout cannot be simulated; set attempt_timeout=none",
        ),
        (
            vec!["compare", "default", "default:elapsed_from=failure"],
            "a policy with elapsed_from cannot be simulated; set elapsed_from=begin",
        ),
        (vec!["compare", "default"], "2 values required"),
        (vec!["advise", "--clients", "1", "--capacity", "0", "--latency", "1s"], "`0` is not"),
        (vec!["advise", "--failure", "0.1"], "`0.1` is not from 0 to 0.05, or from 0% to 5%"),
        (vec!["simulate", "occ", "--chart", "load"], "--chart load needs --interval"),
        (vec!["simulate", "occ", "--columns", "time,peak"], "--columns peak needs --interval"),
        (
            vec!["simulate", "occ", "--interval=1s", "--columns=load"],
            "the load over time is a chart",
        ),
        (vec!["simulate", "queue", "--chart", "recovery"], "--chart recovery needs --outage"),
        (vec!["simulate", "layers", "--chart", "recovery"], "--chart recovery needs --outage"),
        (
            vec!["simulate", "queue", "--rate", "5", "--interval", "1ns"],
            "--interval 1ns is too short for a --duration of 1m",
        ),
        (vec!["simulate", "occ", "--svg", "-"], "a picture is written to a file"),
        (vec!["simulate", "queue", "--failure", "2"], "`2` is not a number from 0 to 1"),
    ] {
        let (code, message) = error(&arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {message}");
        assert!(message.contains(expected), "{expected}: {message}");
    }
}

/// The service recovers, and later if the retries of the outage are still to come.
#[test]
fn compared_policies_differ_in_an_outage() {
    let policies = ["default", "none:max_retries=3"];
    let lines = json(&[&["compare", "--runs=2"], &policies[..]].concat());
    assert!(lines.iter().all(|line| line["queue"]["recovered"] == 2), "{lines:?}");
    let recovery = |line: &Value| line["queue"]["recovery_ms"]["mean"].as_f64().unwrap();
    assert!(recovery(&lines[0]) > recovery(&lines[1]) + 100.0, "{lines:?}");
}

/// The number that was given, not that of whole nanoseconds between arrivals.
#[test]
fn a_rate_is_printed_as_it_was_given() {
    let all = ["simulate", "queue", "--rate=70,70.5", "--duration=1s", "--runs=1"];
    let lines = json(&all);
    assert!(lines.iter().map(|line| line["rate"].as_f64().unwrap()).eq([70.0, 70.5].repeat(5)));
}

#[test]
fn a_cut_run_names_what_can_cut_it() {
    let all = ["simulate", "occ", "--clients=2", "--runs=1", "--policy=none", "--max-time=1ms"];
    let text = stdout(&all);
    assert!(
        text.contains("1 run was cut before all operations had ended: see --max-time"),
        "{text}"
    );
}

#[test]
fn a_picture_that_cannot_be_written_fails_before_the_simulation() {
    let all = ["simulate", "occ", "--runs=1", "--json", "--svg=/does/not/exist.svg"];
    let run = output(&all);
    assert_eq!((run.status.code(), run.stdout.len()), (Some(1), 0));
    assert!(stderr(&run).contains("cannot write /does/not/exist.svg"), "{run:?}");
}

#[test]
fn charts_of_load_name_the_rates() {
    let path = folder("load").join("load.svg");
    let svg = format!("--svg={}", path.display());
    let load = ["simulate", "queue", "--rate=5,6", "--duration=5s", "--runs=1", "--interval=1s"];
    stdout(&[&load[..], &["--chart=load", "--policy=a=none:max_retries=1", &svg]].concat());
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains(">a, 5/s</text>") && text.contains(">a, 6/s</text>"), "{text}");
}

#[test]
fn compared_policies_have_previews_and_simulations() {
    let lines = json(&["compare", "none", "mine=default;budget=sre", "--runs=2"]);
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1]["name"], "mine");
    assert_eq!(lines[1]["budget"], "sre");
    assert_eq!(lines[1]["preview"][1]["max_ns"], "200000000");
    assert_eq!(lines[0]["occ"]["success_rate"], 1.0);
    assert_eq!(lines[0]["queue"]["model"], "queue");
}

#[test]
fn steps_that_double_are_an_exponential_policy() {
    let of = |policy: &str| {
        let options = ["--clients", "5", "--runs", "20", "--seed", "1"];
        let mut line =
            json(&[&["simulate", "occ", "--policy", policy][..], &options].concat()).remove(0);
        line["name"].take();
        line["policy"].take();
        line
    };
    let steps = of("steps:waits=10ms/20ms/40ms,jitter=full");
    assert_eq!(steps, of("exponential:base=10ms,cap=40ms,jitter=full"));
    assert_ne!(steps, of("steps:waits=10ms/20ms/80ms,jitter=full"));
}

/// A dot at the edge of an empty chart would say nothing.
#[test]
fn a_policy_that_never_succeeds_has_no_bar() {
    let path = folder("bars").join("retries.svg");
    let svg = format!("--svg={}", path.display());
    let policies = ["--policy=off", "--policy=fails=none:max_retries=9", "--chart=retries", &svg];
    let outage = ["simulate", "queue", "--rate=80", "--outage=5s..8s", "--duration=40s"];
    stdout(&[&outage[..], &policies, &["--runs=1"]].concat());
    let text = std::fs::read_to_string(path).unwrap();
    assert_eq!(text.matches("<rect class=\"mark").count(), 1, "{text}");
    assert!(text.contains(">fails</text>") && text.contains(">none</text>"), "{text}");
    assert!(text.contains("off: 0; fails: none.</desc>"), "{text}");
}

/// Without jitter 20 clients come back together: in the interval in which the outage ends, and not in
/// the one before.
#[test]
fn the_peak_is_the_one_after_the_outage() {
    let outage = ["simulate", "queue", "--clients=20", "--outage=0s..2s", "--outage-mode=refusing"];
    let policy = ["--policy=waits=constant:base=3s", "--interval=500ms", "--runs=1"];
    let all = [&outage[..], &policy, &["--columns=peak,success,recovery"]].concat();
    let text = stdout(&all);
    let row = text.lines().find(|line| line.starts_with("waits")).unwrap();
    let cells: Vec<_> = row.split_whitespace().collect();
    assert_eq!(cells, ["waits", "20", "40", "100%", "0s"], "{text}");
}
