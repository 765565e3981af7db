//! Prints the statistics of small experiments, a line of JSON each. They are the same on every
//! machine, and in every version: `tests/golden.jsonl`.

use backoff_sim::{
    Distribution, Experiment, Group, Latency, Layers, Load, Model, Queue, Shard, Summary,
};

const MS: u64 = 1_000_000;
const SECOND: u64 = 1000 * MS;

fn closed(clients: u32, operations: u32, think: &str) -> Load {
    let think = think.parse().expect("a distribution");
    Load::Closed { clients, operations, start: Distribution::Constant(0), think }
}

fn open(interval: &str, seconds: u64) -> Load {
    let interval = interval.parse().expect("a distribution");
    Load::Open { interval, duration_ns: seconds * SECOND }
}

/// An experiment from the JSON of its model.
fn experiment(model: &str, groups: &[(&str, Option<&str>)], load: Load) -> Experiment {
    let model: Model = serde_json::from_str(model).expect("a model");
    let group = |&(policy, budget): &(&str, Option<&str>)| Group {
        budget: budget.map(str::to_owned),
        processes: 3,
        ..Group::new(policy.parse().expect("a policy"))
    };
    Experiment {
        model,
        groups: groups.iter().map(group).collect(),
        load,
        seed: 2015,
        runs: 5,
        max_time_ns: 1000 * SECOND,
        max_events: 1_000_000,
        interval_ns: None,
    }
}

pub(crate) fn lines() -> impl Iterator<Item = String> {
    const OCC: &str = r#"{"name":"occ","leg":"normal:mean=10ms,sd=2ms"}"#;
    const SERIAL: &str = r#"{"name":"serial","service":"uniform:min=5ms,max=15ms"}"#;
    let occ = [
        "none",
        "exponential:base=10ms,cap=2s",
        "full:base=10ms,cap=2s",
        "equal:base=10ms,cap=2s",
        "decorrelated:base=5ms,cap=2s",
        "exponential:base=20ms,multiplier=1.6,jitter=0.2,max_retries=20",
    ];
    let occ = occ.map(|policy| experiment(OCC, &[(policy, None)], closed(30, 1, "0ms")));
    let full = ("full:base=10ms,cap=1s,max_retries=6", None);
    let budget = ("full:base=50ms,cap=1s", Some("ttl"));
    let model = |model: Model| serde_json::to_string(&model).expect("JSON");
    let others = [
        experiment(OCC, &[full, budget], closed(20, 5, "exponential:mean=100ms")),
        experiment(SERIAL, &[full], closed(20, 2, "uniform:min=0ms,max=20ms")),
        experiment(
            &model(Model::Queue(Queue::default())),
            &[full, budget],
            open("exponential:mean=11ms", 20),
        ),
        experiment(
            &model(Model::Latency(Latency::default())),
            &[full],
            open("exponential:mean=50ms", 20),
        ),
        experiment(&model(Model::Layers(Layers::default())), &[full], closed(10, 20, "1s")),
    ];
    occ.into_iter().chain(others).map(|experiment| {
        let totals = experiment.run(Shard::WHOLE, &|| ()).expect("a valid experiment");
        let summary = experiment.summary(&totals);
        let Summary { model, name, time_ms, cut, recovery_ms, all, .. } = summary;
        let line = serde_json::json!({
            "model": model,
            "name": name,
            "time_ms": time_ms,
            "cut": cut,
            "recovery_ms": recovery_ms,
            "all": all,
        });
        line.to_string()
    })
}

#[allow(dead_code, reason = "the test only needs the lines")]
fn main() {
    lines().for_each(|line| println!("{line}"));
}
