//! What a call costs with 10^3 to 10^7 clients, on one thread and on several, as lines of JSON:
//! `cargo bench -p backoff-sim --bench growth`. `cargo xtask bench simulator` shows them as a table. A smaller
//! exponent as argument ends it earlier.

#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "measured times")]

use std::time::Instant;

use backoff_sim::{
    Distribution, Experiment, Group, Load, Model, Occ, Outage, OutageMode, Queue, Shard,
};

const SECOND: u64 = 1_000_000_000;

/// The clients of all runs of a thread, at least: fewer take too little time for a clock.
const CLIENTS: u32 = 1_000_000;

const REPETITIONS: u32 = 3;

fn experiment(model: Model, load: Load, group: Group, runs: u32) -> Experiment {
    let max_time_ns = 1_000 * SECOND;
    let (groups, max_events) = (vec![group], u64::MAX);
    Experiment { model, groups, load, seed: 1, runs, max_time_ns, max_events, interval_ns: None }
}

/// The article's: all begin together and make about four calls.
fn contention(clients: u32, runs: u32) -> Experiment {
    let at_once = Distribution::Constant(0);
    let load = Load::Closed { clients, operations: 1, start: at_once, think: at_once };
    let policy = "full:base=10ms,cap=2s,max_retries=3".parse().expect("a policy");
    experiment(Model::Occ(Occ::default()), load, Group::new(policy), runs)
}

/// As many operations in ten seconds, an outage of two, and a server as large as they need.
fn outage(clients: u32, runs: u32, budget: Option<&str>) -> Experiment {
    let queue = Queue {
        workers: clients / 1000,
        service: Distribution::Exponential { mean_ns: 7_000_000 },
        outage: Some(Outage {
            from_ns: 3 * SECOND,
            until_ns: 5 * SECOND,
            mode: OutageMode::Refusing,
        }),
        ..Queue::default()
    };
    let interval = Distribution::Exponential { mean_ns: 10 * SECOND / u64::from(clients) };
    let load = Load::Open { interval, duration_ns: 10 * SECOND };
    let policy = "full:base=100ms,cap=2s,max_retries=5".parse().expect("a policy");
    let group = Group { budget: budget.map(str::to_owned), ..Group::new(policy) };
    experiment(Model::Queue(queue), load, group, runs)
}

/// The shortest time of a call.
fn ns(experiment: &Experiment, threads: usize) -> f64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let once = || {
        let began = Instant::now();
        let run = || experiment.run(Shard::WHOLE, &|| ()).expect("a valid experiment");
        let totals = pool.install(run);
        let calls = experiment.summary(&totals).all.calls.mean * f64::from(experiment.runs);
        began.elapsed().as_nanos() as f64 / calls
    };
    (0..REPETITIONS).map(|_| once()).fold(f64::INFINITY, f64::min)
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|text| !text.starts_with('-'));
    let most = arguments.next().map_or(7, |text| text.parse().expect("an exponent"));
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    for what in ["contention", "outage", "outage, budget finagle"] {
        for clients in (3..=most).map(|exponent| 10_u32.pow(exponent)) {
            // Each thread has the same number of runs.
            let runs = (CLIENTS / clients).max(1) * all as u32;
            let experiment = match what {
                "contention" => contention(clients, runs),
                "outage" => outage(clients, runs, None),
                _ => outage(clients, runs, Some("finagle")),
            };
            for threads in [1, all] {
                let ns = ns(&experiment, threads);
                println!(
                    r#"{{"what": "{what}", "clients": {clients}, "threads": {threads}, "ns": {ns:.1}}}"#
                );
            }
        }
    }
}
