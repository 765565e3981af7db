//! Models of the locks: every order of their threads, or many random ones. Each folder has tests of its own, which have
//! faults that the model must find.

use crate::harden::Scale;
use crate::report::Report;
use crate::shell::*;

pub(super) fn run(report: &mut Report, scale: Scale) {
    let orders = if scale == Scale::Quick { 2_000 } else { 100_000 };
    report.suite("every order of the threads at the lock of a budget", || Ok(models("core")));
    report.suite("orders of the threads of a shared budget", || {
        Ok(models("bindings-rust").env("BACKOFF_ORDERS", orders.to_string()))
    });
}

fn models(folder: &str) -> Program {
    let test = cargo("test --locked --release --no-fail-fast");
    let test = test.within(root().join(folder).join("models"));
    test.env("CARGO_TARGET_DIR", scratch().join("models"))
}
