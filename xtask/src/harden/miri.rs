//! Miri: undefined behaviour, data races and leaks of what Rust runs, on machines of both byte orders and of 32 bits, and
//! in many orders of the threads. In Miri (`cfg!(miri)`) tests do less, because it takes seconds for their milliseconds.

use crate::harden::Scale;
use crate::harden::nightly::nightly;
use crate::report::Report;
use crate::shell::*;

/// The usual one, one whose bytes have the other order, and one of 32 bits.
const TARGETS: [&str; 3] =
    ["x86_64-unknown-linux-gnu", "s390x-unknown-linux-gnu", "i686-unknown-linux-gnu"];

/// What runs once on each target. The skipped test starts a process, which Miri cannot.
const TESTS: [(&str, &str); 4] = [
    ("the core", "--package backoff-core --lib --test budget --test stats --test misuse"),
    ("the core's evaluator", "--package backoff-core --example evaluate"),
    ("libbackoff", "--package bindings-c --lib"),
    (
        "the loops",
        "--package backoff-retry --lib --test program --test shared_budget \
         -- --skip a_limit_of_attempts",
    ),
];

/// What threads share, and the number of orders that take about a minute.
const SHARED: [(&str, &str, u32); 4] = [
    ("budgets", "--package backoff-core --test budget threads", 2),
    ("stats", "--package backoff-core --test stats threads", 8),
    ("libbackoff", "--package bindings-c --lib threads", 16),
    ("shared budgets", "--package backoff-retry --test shared_budget many_threads", 4),
];

pub(super) fn run(report: &mut Report, scale: Scale) {
    let (targets, factor) = if scale == Scale::Quick { (1, 1) } else { (3, 16) };
    for target in &TARGETS[..targets] {
        for (what, tests) in TESTS {
            report.suite(&format!("Miri: {what}, {target}"), || test(target, tests, ""));
        }
    }
    for (what, tests, orders) in SHARED {
        let orders = orders * factor;
        report.suite(&format!("Miri: {what} in {orders} orders"), || {
            test(TARGETS[0], tests, &format!("-Zmiri-many-seeds=0..{orders}"))
        });
    }
}

fn test(target: &str, tests: &str, flags: &str) -> Result<Program> {
    let miri = nightly("miri test --locked --target")?.arg(target).words(tests);
    // Tests read files and clocks.
    Ok(miri.env("MIRIFLAGS", format!("-Zmiri-disable-isolation {flags}")))
}
