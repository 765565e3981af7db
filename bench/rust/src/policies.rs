//! Policy strings and decisions.

use std::hint::black_box;

use backoff_core::{Budget, Operation, Outcome, Policy, RandomStream};

pub const ENTRIES: &[(&str, &str, fn(u64))] = &[
    ("parse", "ours", parse),
    ("print", "ours", print),
    ("decide", "ours", |times| decide(times, None)),
    ("decide with a budget", "ours", |times| {
        decide(times, Some(&Budget::parse("ratio").expect("a budget")));
    }),
];

const TEXT: &str = "full:base=100ms,cap=20s,max_retries=5";

fn parse(times: u64) {
    for _ in 0..times {
        let _ = black_box(Policy::parse(black_box(TEXT)));
    }
}

fn print(times: u64) {
    let policy = Policy::parse(TEXT).expect("a policy");
    for _ in 0..times {
        black_box(black_box(&policy).text());
    }
}

/// Operations that wait until they stop.
fn decide(times: u64, budget: Option<&Budget>) {
    let policy = black_box(Policy::parse(TEXT).expect("a policy"));
    let begin = || Operation::begin(policy, RandomStream::from_seed(42), 0, None, budget);
    let mut operation = begin();
    for _ in 0..times {
        if black_box(operation.decide(Outcome::Transient, None, 0, budget)).stop_reason().is_some()
        {
            operation = begin();
        }
    }
}
