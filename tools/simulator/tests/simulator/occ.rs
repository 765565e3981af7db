//! The model `occ` against the article's model in another language, `article.py`.

#![allow(clippy::cast_precision_loss, clippy::float_cmp, reason = "counts are exact in doubles")]

use std::process::Command;

use crate::common::{closed, experiment, group, summary};
use backoff_sim::{Estimate, Model, Occ};

/// Made by `python3 article.py --runs 400 --seed 1 > article.csv`.
const TABLE: &str = include_str!("../article.csv");

/// The runs of the simulator.
const RUNS: u32 = 250;

/// The article's base is 5 ms, and its first exponent 1.
fn policy(jitter: &str) -> &'static str {
    match jitter {
        "none" => "none",
        "expo" => "exponential:base=10ms,cap=2s",
        "full" => "full:base=10ms,cap=2s",
        "equal" => "equal:base=10ms,cap=2s",
        "decorrelated" => "decorrelated:base=5ms,cap=2s",
        _ => panic!("unknown jitter {jitter}"),
    }
}

#[test]
fn work_and_time_are_those_of_the_article() {
    let mut rows = 0;
    for line in TABLE.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |column: usize| -> f64 { cells[column].parse().unwrap() };
        let (jitter, clients, runs) = (cells[0], cells[1].parse().unwrap(), number(2));
        let group = group(policy(jitter), None, 1);
        let model = Model::Occ(Occ::default());
        let found = summary(&experiment(model, group, closed(clients, 1), RUNS));
        for (what, Estimate { mean, sd, .. }, column) in
            [("calls", found.all.calls, 3), ("time_ms", found.time_ms, 5)]
        {
            let (expected, expected_sd) = (number(column), number(column + 1));
            let bound = 4.0 * expected_sd * (1.0 / runs + 1.0 / f64::from(RUNS)).sqrt();
            let far = (mean - expected).abs();
            assert!(far <= bound, "{jitter} {clients} {what}: {mean}, expected {expected}");
            // The standard error of a standard deviation; times have a heavy tail.
            let ratio = sd / expected_sd;
            assert!((0.6..1.6).contains(&ratio), "{jitter} {clients} sd of {what}: {sd}");
        }
        rows += 1;
    }
    assert_eq!(rows, 5 * 19);
}

/// The rows that take little time are made again: the table is what the program prints, but for the
/// last digits, where Python's logarithms and cosines may differ between platforms.
#[test]
fn the_table_is_what_python_computes() {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/article.py");
    let arguments = [program, "--clients", "10,20", "--runs", "400", "--seed", "1"];
    let output = Command::new("python3").args(arguments).output().expect("python3 runs");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 1 + 5 * 2);
    let rounded = |line: &str| -> Vec<String> {
        line.split(',').map(|cell| cell.split('.').next().unwrap_or_default().to_owned()).collect()
    };
    for line in text.lines() {
        assert!(TABLE.lines().any(|row| rounded(row) == rounded(line)), "{line}");
    }
}

/// A client alone needs one call and four messages, of 10 ms and 2 ms each.
#[test]
fn a_client_alone_needs_four_messages() {
    let group = group("full:base=10ms,cap=2s", None, 1);
    let found = summary(&experiment(Model::Occ(Occ::default()), group, closed(1, 1), 10_000));
    assert_eq!((found.all.calls.mean, found.all.calls.sd), (1.0, 0.0));
    assert!((found.time_ms.mean - 40.0).abs() < 4.0 * found.time_ms.sem);
    // The standard error of a standard deviation of a normal variable: sd / sqrt(2n).
    assert!((found.time_ms.sd - 4.0).abs() < 4.0 * 4.0 / 20_000_f64.sqrt());
}

/// Every operation of a client succeeds in the end, whatever the others do between.
#[test]
fn every_call_but_the_winning_ones_is_a_retry() {
    let group = group("full:base=10ms,cap=2s", None, 1);
    let found = summary(&experiment(Model::Occ(Occ::default()), group, closed(7, 3), 100));
    assert_eq!(found.all.successes.mean, 21.0);
    assert!((found.all.calls.mean - 21.0 - found.all.retries.mean).abs() < 1e-9);
}
