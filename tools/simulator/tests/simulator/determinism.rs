//! The same numbers on every machine, with any number of threads, and in any number of parts.

#![allow(clippy::cast_precision_loss, clippy::float_cmp, reason = "counts are exact in doubles")]

use crate::common::{closed, experiment, group, poisson};
use backoff_sim::{Experiment, Latency, Layers, Model, Occ, Queue, Serial, Shard, Totals};

#[path = "../../examples/golden.rs"]
mod golden;

pub(crate) fn experiments() -> Vec<Experiment> {
    let group = || group("full:base=10ms,cap=1s,max_retries=4", Some("ratio"), 3);
    vec![
        experiment(Model::Occ(Occ::default()), group(), closed(20, 2), 23),
        experiment(Model::Serial(Serial::default()), group(), closed(20, 2), 23),
        experiment(Model::Queue(Queue::default()), group(), poisson(95.0, 5), 23),
        experiment(Model::Latency(Latency::default()), group(), poisson(15.0, 5), 23),
        experiment(Model::Layers(Layers::default()), group(), closed(5, 5), 23),
    ]
}

fn run(experiment: &Experiment, shard: Shard) -> Totals {
    experiment.run(shard, &|| ()).unwrap()
}

#[test]
fn totals_do_not_depend_on_the_number_of_threads() {
    for mut experiment in experiments() {
        experiment.interval_ns = Some(100_000_000);
        let totals = [1, 2, 3, 8].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| serde_json::to_string(&run(&experiment, Shard::WHOLE)).unwrap())
        });
        assert!(totals.iter().all(|other| *other == totals[0]), "{}", experiment.model.name());
    }
}

#[test]
fn another_seed_gives_other_numbers() {
    for experiment in experiments() {
        let other = Experiment { seed: experiment.seed + 1, ..experiment.clone() };
        assert_ne!(run(&experiment, Shard::WHOLE), run(&other, Shard::WHOLE));
    }
}

/// What a seed gives is a promise. Another target compares its output with the same file.
#[test]
fn numbers_never_change() {
    let expected = include_str!("../golden.jsonl");
    for (line, expected) in golden::lines().zip(expected.lines()) {
        assert_eq!(line, expected);
    }
    assert_eq!(golden::lines().count(), expected.lines().count());
}
