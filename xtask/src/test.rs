//! `cargo xtask test`: all tests, and those that compare the languages.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::languages::{ALL, c, go, js, python, rust};
use crate::report::Report;
use crate::shell::*;
use crate::{bench, dist, docs, generate, playground, processes, program, site, version};

type Part = (&'static str, fn(&mut Report));

/// What runs at once. The first parts compile with cargo, which does it for one of them at a time and on all
/// cores, so one thread takes them from the front. The others take parts from the end, which mostly wait.
const AT_ONCE: [Part; 15] = [
    ("shared", shared),
    ("rust", rust::test),
    ("hosts-rust", rust::hosts),
    ("command", program::test),
    ("shared", together),
    ("c", c::test),
    ("js", js::test),
    // Its adapter is an example, for libcurl, which `make check` compiles and runs as the others.
    ("hosts-c", |_| ()),
    ("hosts-js", js::hosts),
    ("site", site::test),
    ("python", python::test),
    ("hosts-go", go::hosts),
    ("processes", processes::test),
    ("hosts-python", python::hosts),
    ("go", go::test),
];

/// What runs then. The commands of the pages build packages, which the other parts build as well.
const THEN: [Part; 1] = [("pages", pages)];

/// What only a release needs.
const ALL_ONLY: [Part; 4] = [
    ("bench", bench::test),
    ("dist", dist::test),
    ("site", site::test_all),
    ("playground", playground::test),
];

/// How many parts are tested at once, on a machine with two cores: some wait for servers.
const THREADS: usize = 5;

pub(crate) fn everything(is_all: bool) -> Result<()> {
    let whole = Mutex::new(Report::new(is_all));
    let parts = Mutex::new(VecDeque::from(AT_ONCE));
    let next = |number: usize| {
        let mut parts = parts.lock().unwrap_or_else(PoisonError::into_inner);
        if number == 0 { parts.pop_front() } else { parts.pop_back() }
    };
    let work = |number| {
        while let Some((name, run)) = next(number) {
            let mut report = Report::new(is_all);
            report.part(name, run);
            whole.lock().unwrap_or_else(PoisonError::into_inner).add(report);
        }
    };
    let work = &work;
    // A panic of a thread is one of the scope.
    thread::scope(|scope| (0..THREADS).for_each(|number| drop(scope.spawn(move || work(number)))));
    let mut report = whole.into_inner().unwrap_or_else(PoisonError::into_inner);
    let is_all = report.is_all;
    for (name, run) in THEN.into_iter().chain(ALL_ONLY.into_iter().filter(|_| is_all)) {
        report.part(name, run);
    }
    report.end()
}

pub(crate) fn part(wanted: &str, is_all: bool) -> Result<()> {
    let is_wanted = |name: &str| match wanted {
        "hosts" => name.starts_with("hosts-") || name == "processes",
        _ => name == wanted,
    };
    let parts = || AT_ONCE.into_iter().chain(THEN).chain(ALL_ONLY);
    let mut report = Report::new(is_all);
    let page = root().join("docs").join(wanted).with_extension("md");
    if page.is_file() {
        if read(&page)?.contains("\nbackoff ") {
            program::binary()?;
        }
        report.part(wanted.to_owned().leak(), |report| docs::test(report, &page));
        return report.end();
    }
    let mut wanted_parts = parts().filter(|(name, _)| is_wanted(name)).peekable();
    ensure!(wanted_parts.peek().is_some(), "unknown part {wanted}: cargo xtask help");
    wanted_parts.for_each(|(name, run)| report.part(name, run));
    report.end()
}

fn shared(report: &mut Report) {
    let is_all = report.is_all;
    report.check("generated files are fresh", || generate::check(is_all));
    report.check("all packages have one version", version::check);
    if report.is_all {
        // Not with the shellcheck of this machine, if it has one.
        let line = "run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 -shellcheck= -pyflakes=";
        report.check("actionlint", || program("go").words(line).run());
    }
    python::lints(report, ".");
    report.pytest("the shared tests in tests/, bench/ and docs/", || {
        Ok(python::tool("pytest")?.words("tests bench docs"))
    });
}

fn together(report: &mut Report) {
    report.pytest("the differential test", || {
        let pytest = python::tool("pytest")?.arg("tests/differential/agree.py");
        processes::with_evaluators(pytest, &[("backoff-wasm/js", js::plain_evaluator)])
    });
    for language in &ALL {
        let what = format!("`backoff verify` passes the evaluator of {}", language.name);
        report.check(&what, || program::verify(&(language.evaluator)()?));
    }
    report.check("the demo agrees", || processes::demo()?.run());
    report.check("the scenario agrees", || processes::clients(&ALL)?.run());
}

fn pages(report: &mut Report) {
    report.timed("the command: ready", program::binary);
    docs::test(report, &root().join("README.md"));
    docs::test_folder(report, "docs", &program::DOCUMENTS);
}
