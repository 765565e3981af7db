//! valgrind over the tests in C, with the libraries that users install: memory, and how threads use it.

use crate::harden::Scale;
use crate::languages::c;
use crate::report::Report;
use crate::shell::*;

/// The tools, and whether they report races. For the two that do, the suppressions of the library are needed, because its
/// lock is none that they know. The sanitizers know it.
const TOOLS: [(&str, bool); 3] = [("memcheck", false), ("helgrind", true), ("drd", true)];

pub(super) fn run(report: &mut Report, scale: Scale) {
    // A multiple of ten, and of the number of reasons.
    let operations = if scale == Scale::Quick { 70 } else { 700 };
    for (tool, finds_races) in TOOLS {
        report.suite(&format!("valgrind: {tool}"), || {
            let (prefix, programs) = (c::prefix()?, scratch().join("valgrind"));
            let make = c::make_over(&prefix, "bindings-c", &programs).arg("checkers");
            let suppressions = prefix.join("share/backoff/valgrind.supp");
            let run = "RUN=valgrind --quiet --error-exitcode=9 --fair-sched=yes";
            let leaks = if finds_races { "" } else { "--leak-check=full" };
            let run =
                format!("{run} --tool={tool} {leaks} --suppressions={}", suppressions.display());
            let make = make.arg(run).arg(format!("CC=cc -DOPERATIONS={operations}"));
            Ok(make.args((!finds_races).then_some("RACE=")))
        });
    }
}
