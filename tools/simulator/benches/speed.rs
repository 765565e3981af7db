//! Events of a second, on one thread, against the article's model in Python (tests/article.py), and
//! on all threads. Run `cargo bench -p backoff-sim --bench speed`.
//!
//! Both are asked the same: how many clients need how long. An event is one of the article's: four
//! for each call.

#![allow(
    clippy::cast_lossless,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "measured times"
)]

use std::process::Command;
use std::time::Instant;

use backoff_sim::{Distribution, Experiment, Group, Load, MAX_TIME_NS, Model, Occ, Shard};

const POLICIES: [&str; 5] = [
    "none",
    "exponential:base=10ms,cap=2s",
    "full:base=10ms,cap=2s",
    "equal:base=10ms,cap=2s",
    "decorrelated:base=5ms,cap=2s",
];

const REPETITIONS: u32 = 5;

fn events(policy: &str, clients: u32, runs: u32) -> f64 {
    let experiment = Experiment {
        model: Model::Occ(Occ::default()),
        groups: vec![Group::new(policy.parse().expect("a policy"))],
        load: Load::Closed {
            clients,
            operations: 1,
            start: Distribution::Constant(0),
            think: Distribution::Constant(0),
        },
        seed: 1,
        runs,
        max_time_ns: MAX_TIME_NS,
        max_events: u64::MAX,
        interval_ns: None,
    };
    let totals = experiment.run(Shard::WHOLE, &|| ()).expect("a valid experiment");
    experiment.summary(&totals).all.calls.mean * f64::from(runs) * 4.0
}

/// The events of a second, on a number of threads.
fn simulator(threads: usize) -> f64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| {
        let began = Instant::now();
        let mut sum = 0.0;
        for policy in POLICIES {
            for clients in (10..200).step_by(10) {
                sum += events(policy, clients, 100);
            }
        }
        sum / began.elapsed().as_secs_f64()
    })
}

/// The most events of a second on one thread and on several, in turns: other programs only slow a
/// measurement down, and for a while at least both alike.
fn best(threads: usize) -> [f64; 2] {
    (0..REPETITIONS).fold([0.0; 2], |[one, all]: [f64; 2], _| {
        [one.max(simulator(1)), all.max(simulator(threads))]
    })
}

fn python() -> Option<f64> {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/article.py");
    let output = Command::new("python3").args([program, "--runs", "2", "--speed"]).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

fn main() {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let [one, all] = best(threads);
    let millions = |events: f64| events / 1e6;
    println!("1 thread: {:.1} million events a second", millions(one));
    println!("{threads} threads: {:.1} million, {:.2} times", millions(all), all / one);
    if let Some(python) = python() {
        println!("python3: {:.2} million; 1 thread is {:.0} times", millions(python), one / python);
    }
}
