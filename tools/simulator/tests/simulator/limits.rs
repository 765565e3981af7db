//! Experiments at the ends of their ranges: none overflows, none is endless, and those beyond are
//! refused.

#![allow(clippy::cast_precision_loss, clippy::float_cmp, reason = "counts are exact in doubles")]

use crate::common::{closed, experiment, group, summary};
use backoff_sim::{
    Distribution, Experiment, Group, Latency, Layers, Load, MAX_TIME_NS, Model, Occ, Outage,
    OutageMode, Queue, Serial, Shard, Summary,
};

const LONGEST: Distribution = Distribution::Constant(MAX_TIME_NS);
const ZERO: Distribution = Distribution::Constant(0);

fn models(time: Distribution) -> [Model; 6] {
    // A worker that needs no time is no bound.
    let service = if time == ZERO { Distribution::Constant(1) } else { time };
    let queue = Queue { service, network: time, ..Queue::default() };
    let per_call_ns = if time == ZERO { 0 } else { MAX_TIME_NS };
    let latency = Latency { latency: time, network: time, per_call_ns, ..Latency::default() };
    let outage =
        Outage { from_ns: MAX_TIME_NS - 1, until_ns: MAX_TIME_NS, mode: OutageMode::Stalled };
    let largest = Queue {
        workers: u32::MAX,
        capacity: Some(u32::MAX),
        timeout_ns: Some(if time == ZERO { 1 } else { MAX_TIME_NS }),
        outage: Some(outage),
        retry_after: Some(time),
        ..queue
    };
    let layers = Layers { latency: time, overhead: time, ..Layers::default() };
    [
        Model::Occ(Occ { leg: time }),
        Model::Serial(Serial { service: time }),
        Model::Queue(queue),
        Model::Queue(largest),
        Model::Latency(latency),
        Model::Layers(layers),
    ]
}

fn extreme(model: Model, policy: &str, load: Load) -> Summary {
    let group = Group { deadline_ns: Some(u64::MAX), ..group(policy, Some("ttl"), 2) };
    let experiment = Experiment {
        seed: u64::MAX,
        max_time_ns: MAX_TIME_NS,
        max_events: 20_000,
        interval_ns: Some(MAX_TIME_NS / (1 << 20) + 1),
        ..experiment(model, group, load, 2)
    };
    summary(&experiment)
}

#[test]
fn the_longest_times_and_no_times_at_all() {
    let largest = Distribution::Normal { mean_ns: MAX_TIME_NS, sd_ns: MAX_TIME_NS };
    let any = Distribution::Uniform { min_ns: 0, max_ns: MAX_TIME_NS };
    let mean = Distribution::Exponential { mean_ns: MAX_TIME_NS };
    let tick = Distribution::Constant(1);
    for time in [ZERO, LONGEST, largest, any, mean, tick] {
        for model in models(time) {
            for policy in ["none", "constant:base=106751d", "full:base=1ns,cap=106751d"] {
                let many =
                    Load::Closed { clients: 3, operations: u32::MAX, start: time, think: time };
                let open = Load::Open { interval: tick, duration_ns: u64::MAX };
                for load in [many, open, closed(3, 1)] {
                    let summary = extreme(model.clone(), policy, load);
                    assert!(summary.time_ms.mean <= MAX_TIME_NS as f64 / 1e6);
                }
            }
        }
    }
}

/// A server that rejects all calls but one at once, and clients that never wait.
#[test]
fn a_loop_without_time_is_cut() {
    let queue = Queue { capacity: Some(1), service: LONGEST, timeout_ns: None, ..Queue::default() };
    let mut endless = experiment(Model::Queue(queue), group("none", None, 1), closed(2, 1), 3);
    endless.max_events = 1000;
    let summary = summary(&endless);
    assert_eq!((summary.cut, summary.time_ms.mean), (3, 0.0));
}

/// A wait that ends after the longest time counts until then, and so does the run.
#[test]
fn a_run_that_is_cut_lasted_until_then() {
    let model = Model::Serial(Serial { service: Distribution::Constant(1_000_000) });
    let mut cut = experiment(model, group("constant:base=1h", None, 1), closed(2, 1), 1);
    cut.max_time_ns = 60_000_000_000;
    let summary = summary(&cut);
    assert_eq!((summary.cut, summary.time_ms.mean), (1, 60_000.0));
    assert_eq!(summary.all.waiting_ms.mean, f64::from(60_000 - 1) / 2.0);
}

/// What a file may say.
#[test]
fn what_is_out_of_range_is_refused() {
    let sound = experiment(Model::Occ(Occ::default()), group("none", None, 1), closed(2, 1), 1);
    let message = |change: &dyn Fn(&mut Experiment)| {
        let mut experiment = sound.clone();
        change(&mut experiment);
        experiment.run(Shard::WHOLE, &|| ()).unwrap_err().to_string()
    };
    let backwards = Distribution::Uniform { min_ns: 2, max_ns: 1 };
    let message_of = |model: Model| message(&|it| it.model = model.clone());
    let queue = |queue| message_of(Model::Queue(queue));
    let latency = |latency| message_of(Model::Latency(latency));
    let layers = |layers| message_of(Model::Layers(Layers { layers, ..Layers::default() }));
    let at_once = Outage { from_ns: 5, until_ns: 5, mode: OutageMode::Stalled };
    let processes = |count| Group { processes: count, ..group("none", None, 1) };
    for (text, expected) in [
        (message(&|it| it.runs = 0), "the number of runs 0 is not from 1 to 1048576"),
        (message(&|it| it.max_events = 0), "the number of events 0 is not from"),
        (message(&|it| it.max_time_ns = u64::MAX), "the longest time in ns 18446744073709551615"),
        (message(&|it| it.interval_ns = Some(1)), "the interval in ns 1 is not from 95367432 to"),
        (message(&|it| it.groups.clear()), "the number of groups 0"),
        (message(&|it| it.load = closed(u32::MAX, 1)), "the number of clients 4294967295"),
        (message(&|it| it.load = closed(1, 0)), "the number of operations 0"),
        (message(&|it| it.model = Model::Occ(Occ { leg: backwards })), "the shortest random time"),
        (message(&|it| it.groups[0].processes = 65_536), "the number of processes 65536"),
        (
            message(&|it| it.groups = vec![processes(40_000), processes(40_000)]),
            "the number of processes of all groups 80000",
        ),
        (message(&|it| it.groups[0].budget = Some("x".to_owned())), ""),
        (
            queue(Queue { workers: 0, ..Queue::default() }),
            "the number of workers 0 is not from 1 to",
        ),
        (queue(Queue { capacity: Some(0), ..Queue::default() }), "the capacity 0 is not from 1 to"),
        (
            queue(Queue { service: ZERO, ..Queue::default() }),
            "the mean service time in ns 0 is not from 1",
        ),
        (
            queue(Queue { timeout_ns: Some(0), ..Queue::default() }),
            "the timeout in ns 0 is not from 1 to",
        ),
        (
            queue(Queue { outage: Some(at_once), ..Queue::default() }),
            "the end of the outage in ns 5 is not from 6",
        ),
        (
            queue(Queue { network: backwards, ..Queue::default() }),
            "the shortest random time in ns 2 is not",
        ),
        (
            latency(Latency { timeout_ns: Some(0), ..Latency::default() }),
            "the timeout in ns 0 is not from 1",
        ),
        (
            latency(Latency { per_call_ns: u64::MAX, ..Latency::default() }),
            "the latency per call in ns 184467440737095516",
        ),
        (layers(0), "the number of layers 0 is not from 1 to 32"),
        (layers(33), "the number of layers 33 is not from 1 to 32"),
        (
            message(&|it| {
                it.model = Model::Layers(Layers { layers: 32, ..Layers::default() });
                it.groups = vec![group("none", None, 1); 32];
            }),
            "the number of layers times groups 1024 is not from 1 to 1000",
        ),
    ] {
        assert!(text.contains(expected), "{text}");
    }
}
