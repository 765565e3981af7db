//! Parts of an experiment add up to the whole, and nothing else is added up.

use backoff_core::Policy;
use backoff_sim::{Distribution, Experiment, Group, Load, MergeError, Model, Occ, Part, Shard};

use crate::determinism::experiments;

fn experiment() -> Experiment {
    let group = |text| Group::new(Policy::parse(text).unwrap());
    Experiment {
        model: Model::Occ(Occ::default()),
        groups: vec![group("full:base=10ms,cap=2s"), group("none")],
        load: Load::Closed {
            clients: 8,
            operations: 2,
            start: Distribution::Constant(0),
            think: "exponential:mean=5ms".parse().unwrap(),
        },
        seed: 7,
        runs: 10,
        max_time_ns: 1_000_000_000,
        max_events: 1_000_000,
        interval_ns: Some(100_000_000),
    }
}

fn run(experiment: &Experiment, shard: &str) -> Part {
    Part::run(experiment.clone(), shard.parse().unwrap(), &|| ()).unwrap()
}

fn parts(experiment: &Experiment, of: u32) -> Vec<Part> {
    (1..=of).map(|number| run(experiment, &format!("{number}/{of}"))).collect()
}

#[test]
fn parts_add_up_to_the_whole_in_any_order() {
    for experiment in experiments().into_iter().chain([experiment()]) {
        let whole = experiment.run(Shard::WHOLE, &|| ()).unwrap();
        // More shards than runs: some are empty.
        for of in [1, 2, 3, 23, 40] {
            let mut parts = parts(&experiment, of);
            parts.rotate_left(of as usize / 2);
            let read: Vec<_> =
                parts.iter().map(|part| Part::from_line(&part.to_line()).unwrap()).collect();
            let (merged, totals) = Part::merge(&read).unwrap();
            assert_eq!(totals, whole, "{of} parts of {}", experiment.model.name());
            assert_eq!(merged.summary(&totals), experiment.summary(&whole));
        }
    }
}

#[test]
fn only_each_part_once() {
    let refused = |parts: &[Part]| Part::merge(parts).unwrap_err().to_string();
    let all = parts(&experiment(), 3);
    assert_eq!(refused(&[]), "there are no parts");
    assert_eq!(refused(&all[..2]), "expected each of the 3 shards once, found 1/3, 2/3");
    let twice = [all[0].clone(), all[1].clone(), all[1].clone()];
    assert_eq!(refused(&twice), "expected each of the 3 shards once, found 1/3, 2/3, 2/3");
    let other = [all[0].clone(), all[1].clone(), run(&experiment(), "2/2")];
    assert_eq!(refused(&other), "expected each of the 3 shards once, found 2/2, 1/3, 2/3");
    let mut foreign = experiment();
    foreign.seed = 8;
    let foreign = [all[0].clone(), all[1].clone(), run(&foreign, "3/3")];
    assert_eq!(refused(&foreign), "the parts 1/3 and 3/3 are of different experiments");
    let none = [Part { shard: "1/4294967295".parse().unwrap(), ..all[0].clone() }];
    assert!(matches!(Part::merge(&none), Err(MergeError::Shards { of: u32::MAX, .. })));
}

#[test]
fn a_changed_byte_is_found() {
    let line = run(&experiment(), "1/2").to_line();
    assert!(Part::from_line(&line).is_ok());
    for at in (0..line.len()).step_by(7) {
        let mut bytes = line.clone().into_bytes();
        // A digit becomes another digit, and anything else a space.
        bytes[at] =
            if bytes[at].is_ascii_digit() { b'0' + (bytes[at] - b'0' + 1) % 10 } else { b' ' };
        if bytes != line.as_bytes() {
            let text = String::from_utf8(bytes).unwrap();
            // A space in a policy string changes nothing.
            let read = Part::from_line(&text);
            assert!(!read.is_ok_and(|part| part.to_line() != line), "byte {at}");
        }
    }
    assert!(Part::from_line(&line[..line.len() - 1]).is_err());
}

/// Anyone can compute a checksum: impossible totals are found by what they say.
#[test]
fn impossible_totals_are_refused() {
    let json = serde_json::to_value(run(&experiment(), "1/1")).unwrap();
    let sound = serde_json::from_value::<Part>(json.clone()).unwrap();
    assert!(Part::merge(&[sound]).is_ok());
    let huge = serde_json::json!(u64::MAX);
    let huge_text = serde_json::json!(u128::MAX.to_string());
    let empty = serde_json::json!([]);
    for (pointer, value) in [
        ("/totals/all/calls/count", &huge),
        ("/totals/all/calls/sum", &huge_text),
        ("/totals/all/calls/squares", &huge_text),
        ("/totals/groups/1/retries/sum", &huge_text),
        ("/totals/time_ns/squares", &serde_json::json!("0")),
        ("/totals/recovery_ns/count", &huge),
        ("/totals/cut", &huge),
        ("/totals/groups", &empty),
        ("/totals/latencies", &empty),
        ("/totals/latencies/0", &serde_json::json!([0, []])),
        ("/totals/intervals", &serde_json::json!(vec![json["totals"]["intervals"][0].clone(); 12])),
        ("/experiment/runs", &serde_json::json!(0)),
        ("/experiment/groups", &empty),
    ] {
        let mut json = json.clone();
        *json.pointer_mut(pointer).unwrap() = value.clone();
        let part: Part = serde_json::from_value(json).unwrap();
        assert!(Part::merge(&[part]).is_err(), "{pointer}");
    }
    // These add up to the largest count.
    let mut json = json.clone();
    json["totals"]["all"]["stops"] = serde_json::json!(vec![u64::MAX; 8]);
    json["totals"]["intervals"][0]["calls"] = huge;
    let part = |shard: &str| {
        let mut json = json.clone();
        json["experiment"]["runs"] = 20.into();
        json["shard"] = shard.into();
        serde_json::from_value::<Part>(json).unwrap()
    };
    let (experiment, totals) = Part::merge(&[part("1/2"), part("2/2")]).unwrap();
    assert!(experiment.summary(&totals).load[0].calls > 1e17);
}

#[test]
fn many_histograms_are_not_built() {
    let part = run(&experiment(), "1/1");
    let mut json = serde_json::to_value(part).unwrap();
    json["totals"]["latencies"] = serde_json::json!(vec![(0, Vec::<u64>::new()); 1_000_000]);
    let error = serde_json::from_value::<Part>(json).unwrap_err().to_string();
    assert!(error.contains("at most 1000 histograms"), "{error}");
}
