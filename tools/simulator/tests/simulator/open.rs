//! Operations that arrive by themselves: which of them are measured, and that nothing that is
//! measured depends on where the simulation ends.

#![allow(clippy::cast_precision_loss, clippy::float_cmp, reason = "counts are exact in doubles")]

use crate::common::{SECOND, assert_near, closed, experiment, group, poisson, summary};
use backoff_sim::{Layers, Model, Outage, OutageMode, Queue, RateLimit, Summary};

/// Twice as many arrivals as the server can serve.
fn overloaded(seconds: u64, runs: u32) -> Summary {
    let group = group("exponential:base=1s,cap=20s,max_retries=6", None, 1);
    let queue = Queue { capacity: Some(50), ..Queue::default() };
    summary(&experiment(Model::Queue(queue), group, poisson(200.0, seconds), runs))
}

#[test]
fn success_does_not_depend_on_where_the_simulation_ends() {
    let long = overloaded(600, 3).all.success_rate;
    assert!((0.2..0.8).contains(&long), "{long}");
    // Retries come up to 51 s after an operation: the shorter ones are not yet as loaded.
    for (seconds, runs, most) in [(300, 5, 0.02), (60, 20, 0.1), (30, 20, 0.2)] {
        let success = overloaded(seconds, runs).all.success_rate;
        assert!((success - long).abs() < most, "{seconds} s: {success}, 600 s: {long}");
    }
}

/// Three quarters of the operations, and all that belongs to them.
#[test]
fn the_operations_of_the_first_quarter_are_not_measured() {
    for layers in [1, 3] {
        let model = Model::Layers(Layers { layers, ..Layers::default() });
        let run = experiment(
            model,
            group("full:base=10ms,max_retries=2", None, 1),
            poisson(50.0, 400),
            5,
        );
        let summary = summary(&run);
        assert_near("operations", summary.all.operations, 50.0 * 300.0, 0.0);
        let stops: u64 = summary.all.stops.values().sum();
        assert_eq!(stops as f64, summary.all.operations.mean * 5.0);
        // Each retry of the last layer is a call more.
        let last = summary.groups.last().map_or(&summary.all, |last| &last.summary);
        assert_eq!(last.calls.mean, last.operations.mean + last.retries.mean);
    }
}

/// The outage is the reason for the simulation: the operations that it meets count.
#[test]
fn the_operations_of_an_outage_are_measured() {
    let outage = Outage { from_ns: 5 * SECOND, until_ns: 15 * SECOND, mode: OutageMode::Refusing };
    let queue = Queue { outage: Some(outage), ..Queue::default() };
    let group = group("none:max_retries=0", None, 1);
    let summary = summary(&experiment(Model::Queue(queue), group, poisson(20.0, 105), 20));
    assert_near("operations", summary.all.operations, 2000.0, 0.0);
    assert_near("successes", summary.all.successes, 1800.0, 0.005);
}

/// Others arrive until the last measured operation has ended; none is counted, and none is waited
/// for.
#[test]
fn what_arrives_later_is_only_load() {
    let policy = "constant:base=1s,max_retries=100";
    let outage = Outage { from_ns: 10 * SECOND, until_ns: 50 * SECOND, mode: OutageMode::Refusing };
    let queue = Queue { outage: Some(outage), workers: 20, ..Queue::default() };
    let mut run = experiment(Model::Queue(queue), group(policy, None, 1), poisson(20.0, 20), 5);
    run.interval_ns = Some(SECOND);
    let of = summary(&run);
    // From 5 s on.
    assert_near("operations", of.all.operations, 300.0, 0.0);
    assert_eq!((of.all.success_rate, of.cut), (1.0, 0));
    // They end when the outage does, or in the second after it.
    assert!((40e3..52e3).contains(&of.time_ms.mean), "{:?}", of.time_ms);
    assert_eq!(of.load.len(), 20, "the load is that of the duration");

    // A server that cannot serve all, and clients that never give up: nobody arrives later.
    let queue = Queue { capacity: Some(50), ..Queue::default() };
    let group = group("constant:base=1s", None, 1);
    let of = summary(&experiment(Model::Queue(queue), group, poisson(200.0, 5), 2));
    assert_eq!((of.all.success_rate, of.cut), (1.0, 0));
    assert!((8e3..20e3).contains(&of.time_ms.mean), "{:?}", of.time_ms);
}

#[test]
fn a_run_that_ends_before_its_load_is_cut() {
    let mut run = experiment(
        Model::Queue(Queue::default()),
        group("none:max_retries=0", None, 1),
        poisson(5.0, 100),
        2,
    );
    run.max_time_ns = 50 * SECOND;
    assert_eq!(summary(&run).cut, 2);
    run.max_time_ns = 200 * SECOND;
    assert_eq!(summary(&run).cut, 0);
}

/// A service that answers quickly, but limits the calls in a second.
#[test]
fn a_rate_limit_rejects_what_is_above_it() {
    let limit = Some(RateLimit { interval_ns: SECOND / 10, burst: 10 });
    let limited = |load| {
        let queue = Queue { workers: 1000, limit, ..Queue::default() };
        summary(&experiment(Model::Queue(queue), group("none:max_retries=0", None, 1), load, 10))
    };
    let above = limited(poisson(20.0, 400));
    assert_near("successes", above.all.successes, 10.0 * 300.0, 0.01);
    assert!(above.all.latency_ms.unwrap().p99 < 60.0, "it is quick: {above:?}");
    assert!(limited(poisson(5.0, 400)).all.success_rate > 0.999);
    // All at once: the burst.
    assert_eq!(limited(closed(25, 1)).all.successes.mean, 10.0);
}
