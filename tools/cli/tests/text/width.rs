//! Tables as wide as the terminal.

use std::process::Output;

use crate::support::backoff;

/// Runs the command in a terminal of this width.
fn within(columns: &str, arguments: &[&str]) -> Output {
    backoff().args(arguments).env("COLUMNS", columns).output().unwrap()
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let outage = ["simulate", "queue", "--rate=70", "--outage=5s..10s", "--duration=20s"];
    let queue = [&outage[..], &["--runs=2", "--policy=default;budget=sre;deadline=10s"]].concat();
    let advise = ["advise", "--clients=50", "--capacity=200", "--latency=20ms", "--runs=1"];
    let compare = [&["compare", "--runs=1"][..], &["default"; 7]].concat();
    let sweep = [
        &outage[..],
        &["--runs=2", "--rate=20,30", "--policy=full:base=100ms,cap=1s,max_retries=4"],
    ];
    let mut sweep = sweep.concat();
    sweep.retain(|argument| *argument != "--rate=70");
    sweep.extend(["--policy=equal:base=100ms,cap=1s,max_retries=5", "--policy=default"]);
    for arguments in [queue, advise.to_vec(), compare, sweep] {
        for columns in [70, 120] {
            let output = within(&columns.to_string(), &arguments);
            let text = String::from_utf8(output.stdout).unwrap();
            let widest = text.lines().max_by_key(|line| line.chars().count()).unwrap();
            assert!(widest.chars().count() <= columns, "{columns}: {widest}\n{text}");
        }
    }
}

/// A latency without the operations that failed needs a word.
#[test]
fn latencies_are_labelled_as_those_of_successes() {
    let simulate = |failure| {
        let all = ["simulate", "queue", "--rate=50", "--duration=10s", "--runs=1", failure];
        let output = within("120", &[&all[..], &["--policy=none:max_retries=0"]].concat());
        String::from_utf8(output.stdout).unwrap()
    };
    let text = simulate("--failure=0.5");
    assert!(text.contains("p50*") && text.contains("\n* of the operations that succeeded\n"));
    let text = simulate("--failure=0");
    assert!(text.contains("p50 ") && !text.contains('*'), "{text}");
}
