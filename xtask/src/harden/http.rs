//! The HTTP adapters of every language against a server that attacks them (`tests/hostile`).

use crate::crates;
use crate::harden::scale::Scale;
use crate::languages::{c, go, js, python};
use crate::report::Report;
use crate::servers::{Made, with_programs};

const CLIENTS: [Made; 5] = [
    ("python", python::hostile_client),
    ("javascript", js::hostile_client),
    ("go", go::hostile_client),
    ("rust", || crates::example("hostile")),
    ("c", c::hostile_client),
];

pub(super) fn run(report: &mut Report, scale: Scale) {
    let requests = if scale == Scale::Full { "100000" } else { "1000" };
    report.pytest(&format!("HTTP adapters, {requests} requests each"), || {
        let tests = with_programs(python::hostile_tests()?, &[("hostile", &CLIENTS)])?;
        Ok(tests.env("BACKOFF_REQUESTS", requests))
    });
}
