//! Processes that share one budget, simulated with seeds that nobody has tried. A failure names its seed: run
//! `BACKOFF_FLEET="SEED 0" cargo test --package backoff-core --test fleet`, and keep the case as a test.

use std::time::UNIX_EPOCH;

use crate::harden::Scale;
use crate::report::Report;
use crate::shell::*;

pub(super) fn run(report: &mut Report, scale: Scale) {
    let seconds = if scale == Scale::Quick { 60 } else { 2 * 60 * 60 };
    report.suite(&format!("fleets with new seeds for {seconds} s"), || {
        // Not those of another night.
        let seed = UNIX_EPOCH.elapsed()?.as_millis();
        let test = cargo("test --locked --package backoff-core --test fleet the_grants");
        let test = test.args(["--", "--nocapture"]);
        Ok(test.env("BACKOFF_FLEET", format!("{seed} {seconds}")))
    });
}
