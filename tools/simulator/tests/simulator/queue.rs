//! The queue against queueing theory, and metastable failure: the formulas are computed here.

#![allow(clippy::cast_precision_loss, clippy::float_cmp, reason = "counts are exact in doubles")]

use crate::common::{
    SECOND, assert_near, closed, experiment, exponential, failures_at_the_end, group, mean_latency,
    of_load, poisson, summary,
};
use backoff_sim::{
    Distribution, Experiment, Latency, Load, Model, Outage, OutageMode, Queue, Rejection, Summary,
};

/// A queue without timeouts, for clients that do not retry.
fn classic(workers: u32, service: Distribution, capacity: Option<u32>) -> Model {
    Model::Queue(Queue { workers, service, capacity, timeout_ns: None, ..Queue::default() })
}

fn without_retries(model: Model, load: Load, runs: u32) -> Experiment {
    experiment(model, group("none:max_retries=0", None, 1), load, runs)
}

/// Erlang's formulas: how likely a call is lost without a queue, and waits with one.
fn erlang_b(servers: u32, load: f64) -> f64 {
    (1..=servers).fold(1.0, |loss, n| load * loss / (f64::from(n) + load * loss))
}

fn erlang_c(servers: u32, load: f64) -> f64 {
    let loss = erlang_b(servers, load);
    let servers = f64::from(servers);
    servers * loss / (servers - load * (1.0 - loss))
}

/// M/M/1: `1 / (mu - lambda)`. M/M/c: `C / (c mu - lambda) + 1 / mu`.
#[test]
fn the_latency_of_exponential_services_is_that_of_erlang() {
    for (workers, rate) in [(1, 50.0), (1, 80.0), (3, 240.0), (10, 800.0)] {
        let model = classic(workers, exponential(0.01), None);
        let seconds = if rate < 200.0 { 1000 } else { 200 };
        let mean = mean_latency(&without_retries(model, poisson(rate, seconds), 20));
        let waits = erlang_c(workers, rate * 0.01) / (f64::from(workers) * 100.0 - rate);
        assert_near(&format!("M/M/{workers} at {rate}"), mean, waits + 0.01, 0.002);
    }
}

/// M/D/1: a wait of `rho / (2 mu (1 - rho))`.
#[test]
fn the_latency_of_constant_services_is_that_of_pollaczek_and_khinchine() {
    for rate in [30.0, 70.0] {
        let model = classic(1, Distribution::Constant(10_000_000), None);
        let mean = mean_latency(&without_retries(model, poisson(rate, 1000), 20));
        let waits = rate * 0.01 / (2.0 * 100.0 * (1.0 - rate * 0.01));
        assert_near(&format!("M/D/1 at {rate}"), mean, waits + 0.01, 0.002);
    }
}

/// M/M/c/c loses what Erlang B says, and M/G/c/c as much; M/M/1/K loses
/// `(1 - rho) rho^K / (1 - rho^(K+1))`.
#[test]
fn a_bounded_queue_loses_what_theory_says() {
    let uniform: Distribution = "uniform:min=0s,max=20ms".parse().unwrap();
    for (workers, capacity, service, rate) in [
        (1, 1, exponential(0.01), 100.0),
        (4, 4, exponential(0.01), 500.0),
        (4, 4, uniform, 500.0),
        (1, 5, exponential(0.01), 90.0),
        (1, 3, exponential(0.01), 200.0),
    ] {
        let model = classic(workers, service, Some(capacity));
        let summary = summary(&without_retries(model, poisson(rate, 200), 20));
        let rho: f64 = rate * 0.01;
        let loss = if workers == capacity {
            erlang_b(workers, rho)
        } else {
            (1.0 - rho) * rho.powf(capacity.into()) / (1.0 - rho.powf(f64::from(capacity) + 1.0))
        };
        let what = format!("{workers} workers, {capacity} places, {rate} per second");
        // Those after the first quarter.
        assert_near(&what, summary.all.operations, rate * 150.0, 0.0);
        assert_near(&what, summary.all.successes, rate * 150.0 * (1.0 - loss), 0.002);
        assert_eq!(summary.all.stops.len(), 2);
    }
}

/// N clients with a think time of mean Z and a server of rate mu: the machine repairman's
/// throughput `mu (1 - p_0)`, whatever the distribution of the think time.
#[test]
fn clients_that_think_have_the_throughput_of_machine_repair() {
    let operations = 2000;
    for (clients, think) in [
        (1, exponential(0.03)),
        (5, exponential(0.03)),
        (5, Distribution::Constant(30_000_000)),
        (20, exponential(0.1)),
    ] {
        let load = Load::Closed { clients, operations, start: think, think };
        let model = classic(1, exponential(0.01), None);
        let summary = summary(&without_retries(model, load, 30));
        let ratio = 10e6 / think.mean_ns() as f64;
        // p_n / p_(n-1) = (N - n + 1) ratio.
        let (mut term, mut sum) = (1.0, 1.0);
        for n in 0..clients {
            term *= f64::from(clients - n) * ratio;
            sum += term;
        }
        let throughput = 100.0 * (1.0 - 1.0 / sum);
        let time_ms = f64::from(clients * operations) / throughput * 1e3;
        // Clients end one after another.
        assert_near(&format!("{clients} clients"), summary.time_ms, time_ms, 0.02);
        assert_eq!(summary.all.success_rate, 1.0);
        assert_eq!(summary.all.calls.mean, f64::from(clients * operations));
    }
}

const RUN: u64 = 300;

/// 100 calls per second, clients that wait one second, and an outage of 10 seconds.
fn shaken() -> Queue {
    let (from_ns, until_ns) = (20 * SECOND, 30 * SECOND);
    let outage = Some(Outage { from_ns, until_ns, mode: OutageMode::Stalled });
    Queue { outage, ..Queue::default() }
}

fn after_outage(queue: Queue, rate: f64, policy: &str, budget: Option<&str>) -> Summary {
    let group = group(policy, budget, 1);
    of_load(experiment(Model::Queue(queue), group, poisson(rate, RUN), 5), RUN)
}

fn assert_recovers(what: &str, summary: &Summary) {
    assert_eq!(summary.recovered, 5, "{what}: runs that recovered");
    let failures = failures_at_the_end(summary);
    assert!(failures < 0.02, "{what}: {failures} of the last attempts failed");
}

fn assert_stays_down(what: &str, summary: &Summary) {
    assert_eq!((summary.recovered, summary.recovery_ms), (0, None), "{what}: runs that recovered");
    let failures = failures_at_the_end(summary);
    assert!(failures > 0.98, "{what}: only {failures} of the last attempts failed");
}

const THREE_ATTEMPTS: [&str; 5] = [
    "none:max_retries=2",
    "constant:base=5s,max_retries=2",
    "full:base=100ms,cap=20s,max_retries=2",
    "exponential:base=3s,max_retries=2",
    "decorrelated:base=1s,cap=20s,max_retries=2",
];

/// The full queue sustains itself iff `lambda a > mu`, whatever the backoff and the jitter.
#[test]
fn more_attempts_than_the_server_can_serve_keep_it_down() {
    for policy in THREE_ATTEMPTS {
        let at = |rate| after_outage(shaken(), rate, policy, None);
        assert_recovers(&format!("{policy} at 3 * 30"), &at(30.0));
        assert_stays_down(&format!("{policy} at 3 * 36"), &at(36.0));
    }
    // The number of attempts matters, not the rate alone.
    let at = |rate, policy| after_outage(shaken(), rate, policy, None);
    assert_recovers("1 attempt at 80", &at(80.0, "none:max_retries=0"));
    assert_stays_down("2 attempts at 55", &at(55.0, "full:base=1s,max_retries=1"));
    assert_recovers("2 attempts at 45", &at(45.0, "full:base=1s,max_retries=1"));
}

/// A server whose queue is full of live calls only, is bounded below the timeout, or that gets few
/// retries, always recovers.
#[test]
fn budgets_and_bounds_let_it_recover() {
    for policy in THREE_ATTEMPTS {
        for budget in ["ratio:max_tokens=10,ratio=0.1", "throttle", "quota:max_tokens=50,cost=5"] {
            let summary = after_outage(shaken(), 60.0, policy, Some(budget));
            assert_recovers(&format!("{policy} with {budget}"), &summary);
        }
        for (what, queue) in [
            // 50 calls are served in half of the timeout.
            ("bounded", Queue { capacity: Some(50), ..shaken() }),
            ("no stale calls", Queue { drops_stale: true, ..shaken() }),
        ] {
            let summary = after_outage(queue, 60.0, policy, None);
            assert_recovers(&format!("{policy}, {what}"), &summary);
        }
    }
}

/// A server that refuses leaves no backlog.
#[test]
fn refusing_is_better_than_stalling() {
    let mut queue = shaken();
    queue.outage = queue.outage.map(|outage| Outage { mode: OutageMode::Refusing, ..outage });
    let refusing = after_outage(queue, 60.0, "full:base=100ms,max_retries=2", None);
    assert_recovers("refusing", &refusing);
    assert!(refusing.recovery_ms.unwrap().mean < 1000.0);
    assert_eq!(refusing.all.stops.get("max_retries").map(|stops| stops / 5 / 100), Some(5));
}

/// `t = (lambda D + P B - mu T) / (mu - lambda)` from the end of the outage `D` until calls that begin
/// succeed, for `P` processes with `B` retries each. Their success is seen one timeout later.
#[test]
fn the_time_to_recover_is_that_of_the_fluid() {
    for (rate, outage_s, processes, tokens, timeout_s) in
        [(50.0, 20, 10, 20, 1), (50.0, 20, 10, 100, 1), (70.0, 10, 50, 2, 1), (30.0, 40, 1, 300, 4)]
    {
        let (from_ns, until_ns) = (50 * SECOND, (50 + outage_s) * SECOND);
        let outage = Some(Outage { from_ns, until_ns, mode: OutageMode::Stalled });
        let timeout_ns = Some(timeout_s * SECOND);
        let queue = Queue { outage, timeout_ns, ..Queue::default() };
        let budget = format!("ratio:max_tokens={tokens},ratio=0");
        let group = group("full:base=100ms,max_retries=3", Some(&budget), processes);
        let summary = summary(&experiment(Model::Queue(queue), group, poisson(rate, RUN), 50));
        assert_eq!(summary.recovered, 50);
        let (outage, timeout) = (outage_s as f64, timeout_s as f64);
        let retries = f64::from(processes * tokens);
        let fluid = (rate * outage + retries - 100.0 * timeout) / (100.0 - rate);
        let what = format!("{rate} per second, {retries} retries");
        assert_near(&what, summary.recovery_ms.unwrap(), (fluid + timeout) * 1e3, 0.02);
    }
}

/// Calls that fail by themselves, with `p`: of the operations with `n` retries `1 - p^(n+1)` succeed,
/// with `(1 - p^(n+1)) / (1 - p)` calls each.
#[test]
fn single_failures_are_retried_as_often_as_theory_says() {
    let network = exponential(0.001);
    for (failure, retries) in [("0.1", 0), ("0.1", 2), ("0.5", 1), ("0.5", 3)] {
        let p: f64 = failure.parse().unwrap();
        let failure = failure.parse().unwrap();
        let queue = Queue { timeout_ns: None, failure, ..Queue::default() };
        let latency = Latency { timeout_ns: None, failure, ..Latency::default() };
        for model in
            [Model::Queue(queue), Model::Queue(Queue { network, ..queue }), Model::Latency(latency)]
        {
            let what = format!("{model:?} with {retries} retries");
            let policy = format!("full:base=10ms,max_retries={retries}");
            let load = poisson(10.0, 1000);
            let all = summary(&experiment(model, group(&policy, None, 1), load, 20)).all;
            // Operations are independent: the errors are those of 200,000 trials.
            let operations = all.operations.mean * 20.0;
            let assert_mean = |measure: &str, sum: f64, mean: f64, variance: f64| {
                let bound = 4.0 * (variance / operations).sqrt();
                let measured = sum * 20.0 / operations;
                assert!(
                    (measured - mean).abs() <= bound && bound < mean,
                    "{what}: {measure} {measured}, expected {mean} within {bound}"
                );
            };
            let fails = p.powi(retries + 1);
            let failed = all.operations.mean - all.successes.mean;
            assert_mean("failures", failed, fails, fails * (1.0 - fails));
            let calls = (1.0 - fails) / (1.0 - p);
            // The mean of the squares: the sum of (2 k + 1) p^k.
            let squares: f64 = (0..=retries).map(|k| (2.0 * f64::from(k) + 1.0) * p.powi(k)).sum();
            assert_mean("calls", all.calls.mean, calls, squares - calls * calls + 1e-12);
            assert_eq!(all.stops.keys().copied().collect::<Vec<_>>(), ["max_retries", "success"]);
        }
    }
}

/// Parts without failures are those of before there were any.
#[test]
fn no_failure_is_not_written() {
    for model in [Model::Queue(Queue::default()), Model::Latency(Latency::default())] {
        let json = serde_json::to_string(&model).unwrap();
        assert!(!json.contains("failure"), "{json}");
        let read: Model = serde_json::from_str(&json).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), json);
    }
    let queue = Queue { failure: "0.25".parse().unwrap(), ..Queue::default() };
    let json = serde_json::to_value(Model::Queue(queue)).unwrap();
    assert_eq!(json["failure"], "0.25");
    let read: Model = serde_json::from_value(json).unwrap();
    assert!(matches!(read, Model::Queue(read) if read == queue));
}

/// The client waits as long as a rejection says, and not at all if it says nothing.
#[test]
fn a_rejection_may_say_when_to_return() {
    let mut queue = shaken();
    queue.outage = Some(Outage { from_ns: 0, until_ns: 10 * SECOND, mode: OutageMode::Refusing });
    let run = |queue| {
        let group = group("none:max_retries=4,retry_after=exact", None, 1);
        summary(&experiment(Model::Queue(queue), group, closed(10, 1), 1)).all
    };
    assert_eq!((run(queue).calls.mean, run(queue).success_rate), (50.0, 0.0));
    queue.retry_after = Some(Distribution::Constant(4 * SECOND));
    queue.rejection = Rejection::Transient;
    // At 0, 4, 8 and 12 seconds.
    assert_eq!((run(queue).calls.mean, run(queue).success_rate), (40.0, 1.0));
    assert_eq!(run(queue).waiting_ms.mean, 12_000.0);
}

/// An answer that comes too late is dropped. It does not answer the next attempt.
#[test]
fn a_late_answer_is_stale() {
    let service = Distribution::Constant(1_500_000_000);
    for network in [Distribution::Constant(0), Distribution::Constant(1)] {
        let queue = Queue { service, workers: 10, network, ..Queue::default() };
        let group = group("none:max_retries=2", None, 1);
        let summary = summary(&experiment(Model::Queue(queue), group, closed(10, 3), 1));
        assert_eq!(summary.all.success_rate, 0.0);
        assert_eq!(summary.all.calls.mean, 90.0);
        // Each attempt takes the timeout.
        assert_eq!(summary.time_ms.mean, 9_000.0);
    }
    // The server answers in time, but the answer arrives during the next attempt.
    let (service, network) =
        (Distribution::Constant(850_000_000), Distribution::Constant(100_000_000));
    let queue = Queue { service, workers: 10, network, ..Queue::default() };
    let group = group("none:max_retries=2", None, 1);
    let summary = summary(&experiment(Model::Queue(queue), group, closed(10, 3), 1));
    assert_eq!(summary.all.success_rate, 0.0);
}

/// A run is cut if operations are, not if the server works on for clients that have given up.
#[test]
fn work_for_nobody_is_not_cut() {
    let service = Distribution::Constant(1000 * SECOND);
    let queue = Queue { service, ..Queue::default() };
    let run = |retries: u32| {
        let group = group(&format!("none:max_retries={retries}"), None, 1);
        let mut experiment = experiment(Model::Queue(queue), group, closed(10, 1), 1);
        experiment.max_time_ns = 5 * SECOND;
        summary(&experiment)
    };
    assert_eq!((run(3).cut, run(3).time_ms.mean), (0, 4000.0));
    assert_eq!((run(5).cut, run(5).time_ms.mean), (1, 5000.0));
}
