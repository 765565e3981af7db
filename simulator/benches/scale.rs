//! Ten million clients in one run of a model: `cargo bench -p backoff-sim --bench scale -- serial`.
//! Prints the time, the events and the most memory (where /proc tells).

#![allow(clippy::cast_precision_loss, reason = "measured times")]

use std::time::Instant;

use backoff_sim::{
    Distribution, Experiment, Group, Latency, Load, Model, Occ, Queue, Serial, Shard,
};

fn main() {
    let name = std::env::args().skip(1).find(|text| !text.starts_with('-'));
    let model = match name.as_deref() {
        Some("serial") => Model::Serial(Serial::default()),
        Some("queue") => Model::Queue(Queue { workers: 1000, ..Queue::default() }),
        Some("latency") => Model::Latency(Latency::default()),
        _ => Model::Occ(Occ::default()),
    };
    let experiment = Experiment {
        model,
        groups: vec![Group::new("full:base=10ms,cap=2s,max_retries=3".parse().expect("a policy"))],
        load: Load::Closed {
            clients: 10_000_000,
            operations: 1,
            start: Distribution::Constant(0),
            think: Distribution::Constant(0),
        },
        seed: 1,
        runs: 1,
        max_time_ns: 1_000_000_000_000,
        max_events: u64::MAX,
        interval_ns: None,
    };
    let began = Instant::now();
    let totals = experiment.run(Shard::WHOLE, &|| ()).expect("a valid experiment");
    let seconds = began.elapsed().as_secs_f64();
    let summary = experiment.summary(&totals);
    let calls = summary.all.calls.mean;
    println!("{}: {calls:.0} calls in {seconds:.1} s", summary.model);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    for line in status.lines().filter(|line| line.starts_with("VmHWM")) {
        println!("{line}");
    }
}
