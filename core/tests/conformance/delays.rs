//! Draws, streams, delays, resets and invalid policies.

use std::collections::BTreeMap;

use backoff_core::ffi::{self, Params, Unit};
use backoff_core::{Backoff, Policy, PolicyError, RandomStream};
use serde::Deserialize;

use crate::vectors::{cases, number, stream};

/// The error of an invalid policy.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expected {
    code: String,
    field: String,
    value: String,
    limit: String,
    message: String,
}

impl Expected {
    pub(crate) fn assert_is(&self, error: &PolicyError, id: &str) {
        assert_eq!(error.to_string(), self.message, "{id}");
        assert_eq!(
            (error.code().name(), error.field().name(), error.value(), error.limit()),
            (&*self.code, &*self.field, number(&self.value), number(&self.limit)),
            "{id}"
        );
    }
}

type Fields = BTreeMap<String, String>;

pub(crate) fn build(fields: &Fields) -> Result<Policy, PolicyError> {
    let mut params = Params::default();
    for (name, value) in fields {
        let field = ffi::field_from_name(name).unwrap();
        let kind = |name: &str| ffi::kind_number(field, name);
        params.set(
            field,
            match (ffi::field_unit(field), value.split_once('/')) {
                (Unit::Kind(_), _) => value.parse().unwrap_or_else(|_| kind(value)),
                (_, Some((n, d))) => number(n) << 32 | number(d),
                _ => number(value),
            },
        );
    }
    ffi::build_policy(&params)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DrawCase {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    stream: String,
    index: u32,
    draw: String,
}

#[test]
fn draws() {
    for case in cases::<DrawCase>("draws") {
        let draw = RandomStream::from_seed(number(&case.stream)).draw(case.index);
        assert_eq!(draw, number(&case.draw), "{}", case.id);
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keyed {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    seed: String,
    key: Option<String>,
    stream: String,
}

#[test]
fn streams() {
    for case in cases::<Keyed>("streams") {
        let stream = stream(&case.seed, case.key.as_deref());
        assert_eq!(stream.state(), number(&case.stream), "{}", case.id);
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sequence {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    policy: Fields,
    seed: String,
    key: Option<String>,
    first: u32,
    windows: Vec<String>,
    delays: Vec<String>,
}

fn sequences(layer: &str) {
    for case in cases::<Sequence>(layer) {
        let policy = build(&case.policy).unwrap();
        let stream = stream(&case.seed, case.key.as_deref());
        let want: Vec<u64> = case.delays.iter().map(|delay| number(delay)).collect();
        for ((index, want), window) in (case.first..=u32::MAX).zip(&want).zip(&case.windows) {
            assert_eq!(policy.delay_ns(stream, index), *want, "{} {index}", case.id);
            assert_eq!(policy.window_ns(index), number(window), "{} {index}", case.id);
        }
        let mut filled = vec![0; want.len()];
        assert_eq!(policy.fill_ns(stream, case.first, &mut filled), want.len());
        assert_eq!(filled, want, "{}", case.id);
        if case.first == 0 {
            let mut backoff = Backoff::new(policy, stream);
            let retries = usize::try_from(policy.max_retries()).unwrap().min(want.len());
            let taken: Vec<u64> = want.iter().map_while(|_| backoff.next_ns()).collect();
            assert_eq!(taken, want[..retries], "{}", case.id);
        }
    }
}

#[test]
fn samples() {
    sequences("samples");
}

#[test]
fn growths() {
    sequences("growths");
}

#[test]
fn jitters() {
    sequences("jitters");
}

#[test]
fn caps() {
    sequences("caps");
}

#[test]
fn articles() {
    sequences("articles");
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reset {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    policy: Fields,
    seed: String,
    key: Option<String>,
    asked: Vec<usize>,
    runs: Vec<Vec<String>>,
    stream: String,
}

#[test]
fn resets() {
    for case in cases::<Reset>("resets") {
        let stream = stream(&case.seed, case.key.as_deref());
        let mut backoff = Backoff::new(build(&case.policy).unwrap(), stream);
        let mut batches = backoff.clone();
        assert_eq!(case.asked.len(), case.runs.len(), "{}", case.id);
        for (asked, run) in case.asked.iter().zip(&case.runs) {
            let run: Vec<u64> = run.iter().map(|delay| number(delay)).collect();
            for index in 0..*asked {
                let want = run.get(index).copied();
                let index = u64::try_from(index.min(run.len())).unwrap();
                assert_eq!(backoff.index(), index, "{}", case.id);
                assert_eq!(backoff.next_ns(), want, "{} {index}", case.id);
            }
            let mut filled = vec![0; *asked];
            let written = batches.fill_ns(&mut filled);
            assert_eq!(filled[..written], run, "{}", case.id);
            if *asked > run.len() {
                assert_eq!(batches.fill_ns(&mut filled), 0, "{}", case.id);
            }
            for backoff in [&mut backoff, &mut batches] {
                assert_eq!(backoff.index(), u64::try_from(run.len()).unwrap(), "{}", case.id);
                backoff.reset();
                assert_eq!(backoff.index(), 0, "{}", case.id);
            }
        }
        for backoff in [backoff, batches] {
            assert_eq!(backoff.stream().state(), number(&case.stream), "{}", case.id);
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Invalid {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    policy: Fields,
    error: Expected,
}

#[test]
fn errors() {
    for case in cases::<Invalid>("errors") {
        case.error.assert_is(&build(&case.policy).expect_err(&case.id), &case.id);
    }
}
