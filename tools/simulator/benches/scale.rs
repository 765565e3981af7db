//! Ten million clients in one run of a model, or another number:
//! `cargo bench -p backoff-sim --bench scale -- layers 3000000`. With `open` they do not begin
//! together: operations arrive at a queue. Prints the time, the calls and the most memory (where
//! /proc tells).

#![allow(clippy::cast_precision_loss, reason = "measured times")]

use std::time::Instant;

use backoff_sim::{
    Distribution, Experiment, Group, Latency, Layers, Load, Model, Occ, Queue, Serial, Shard,
};

const SECOND: u64 = 1_000_000_000;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|text| !text.starts_with('-'));
    let name = arguments.next().unwrap_or_default();
    let clients = arguments.next().map_or(10_000_000, |text| text.parse().expect("a number"));
    let at_once = Distribution::Constant(0);
    let load = match name.as_str() {
        // As many in the second that they wait for.
        "open" => Load::Open {
            interval: Distribution::Exponential { mean_ns: SECOND / u64::from(clients) },
            duration_ns: SECOND,
        },
        _ => Load::Closed { clients, operations: 1, start: at_once, think: at_once },
    };
    let model = match name.as_str() {
        "serial" => Model::Serial(Serial::default()),
        "queue" | "open" => Model::Queue(Queue { workers: 1000, ..Queue::default() }),
        "latency" => Model::Latency(Latency::default()),
        "layers" => Model::Layers(Layers::default()),
        _ => Model::Occ(Occ::default()),
    };
    let experiment = Experiment {
        model,
        groups: vec![Group::new("full:base=10ms,cap=2s,max_retries=3".parse().expect("a policy"))],
        load,
        seed: 1,
        runs: 1,
        // Others would go on arriving until the measured operations have ended.
        max_time_ns: if name == "open" { SECOND } else { 1_000 * SECOND },
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
