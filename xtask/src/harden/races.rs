//! Thousands of goroutines with Go's race detector.

use crate::harden::Scale;
use crate::languages::go;
use crate::report::Report;

pub(super) fn run(report: &mut Report, scale: Scale) {
    let (goroutines, count) = if scale == Scale::Quick { (1000, 1) } else { (5000, 10) };
    report.suite(&format!("go test -race with {goroutines} goroutines, {count} times"), || {
        let test =
            go::under_race_detector().words("-tags=harden -run=^TestManyGoroutines -timeout=2h");
        let test = test.arg(format!("-count={count}")).words(". ./sharedbudget");
        Ok(test.env("BACKOFF_GOROUTINES", goroutines.to_string()))
    });
}
