//! `cargo xtask test`: all tests, and those that compare the languages.

use std::process::Command;
use std::sync::mpsc;
use std::thread;

use anyhow::{Result, anyhow, ensure};

use crate::differential::Differential;
use crate::languages::{ALL, Language, named};
use crate::report::{Extent, Report, Runner};
use crate::shell::{command, output, root, run, scratch};
use crate::{
    bench, demo, dist, docs, engines, fleet, generate, languages, program, queues, version,
    workflows,
};

/// Tests everything.
pub(crate) fn everything(extent: Extent) -> Result<()> {
    let mut report = Report::new(extent);
    report.part("shared", test_shared);
    // The adapters of a language are tested on the artifact that its own tests have built, beside the
    // tests that follow: they mostly wait for servers and downloads.
    thread::scope(|scope| {
        let (tested, languages) = mpsc::channel::<&Language>();
        let hosts = scope.spawn(move || {
            let mut report = Report::new(extent);
            for language in languages {
                test_hosts(language, extent, &mut report);
            }
            report.part("processes", test_processes);
            report
        });
        for language in &ALL {
            test_alone(language, extent, &mut report);
            tested.send(language)?;
        }
        drop(tested);
        test_command(extent, &mut report);
        report.add(hosts.join().map_err(|_| anyhow!("the tests of the adapters panicked"))?);
        anyhow::Ok(())
    })?;
    report.part("shared", test_together);
    if extent == Extent::All {
        report.part("bench", bench::test);
        report.part("dist", dist::test);
    }
    report.end()
}

/// Tests one part: a language, the command, or what is shared.
pub(crate) fn part(name: &str, extent: Extent) -> Result<()> {
    let mut report = Report::new(extent);
    match name {
        "shared" => report.part("shared", |report| {
            test_shared(report);
            test_together(report);
        }),
        "bench" => report.part("bench", bench::test),
        "hosts" => {
            for language in &ALL {
                test_hosts(language, extent, &mut report);
            }
            report.part("processes", test_processes);
        }
        "processes" => report.part("processes", test_processes),
        "dist" => report.part("dist", dist::test),
        "command" => test_command(extent, &mut report),
        part => match part.strip_prefix("hosts-") {
            Some(language) => test_hosts(named(language)?, extent, &mut report),
            None => test_alone(named(part)?, extent, &mut report),
        },
    }
    report.end()
}

fn test_command(extent: Extent, report: &mut Report) {
    report.part("command", |report| {
        program::test(report);
        engines::test(report);
        if extent == Extent::All {
            program::test_more(report);
        }
    });
}

fn test_alone(language: &Language, extent: Extent, report: &mut Report) {
    report.part(language.name, |report| {
        (language.test)(report);
        if extent == Extent::All {
            (language.test_more)(report);
        }
        for document in language.documents {
            docs::test(report, &root().join(document));
        }
    });
}

fn test_hosts(language: &Language, extent: Extent, report: &mut Report) {
    report.part(language.hosts_part, |report| (language.hosts)(extent, report));
}

/// Queues and shared budgets, with processes in several languages.
fn test_processes(report: &mut Report) {
    queues::test(report);
    fleet::test(report);
}

/// The generated files and the shared tests.
fn test_shared(report: &mut Report) {
    report.check("generated files are fresh", generate::check);
    report.check("all packages have one version", version::check);
    workflows::test(report);
    let python = languages::python::tool;
    let folders = ["tests", "cli", "export", "simulator", "examples", "bench"];
    report.check("ruff check", || run(python("ruff")?.arg("check").args(folders)));
    report.check("ruff format", || run(python("ruff")?.args(["format", "--check"]).args(folders)));
    let results = scratch().join("shared-results.xml");
    report.suite_of("the shared tests in tests/", Runner::Junit(results.clone()), || {
        let mut pytest = python("pytest")?;
        pytest.args(["-q", "-p", "no:cacheprovider", "tests", "--junitxml"]).arg(results);
        Ok(pytest)
    });
    report.check("no committed file names a folder of this machine", no_machine_paths);
}

/// Fails if a committed file names a home or a temporary folder, which other machines lack.
fn no_machine_paths() -> Result<()> {
    let found = output(command("git").args([
        "grep",
        "-nIE",
        "(/root|/home/[a-z]+|/tmp)/[a-z]",
        "--",
        ".",
        ":!Cargo.lock",
    ]))?;
    ensure!(found.text.is_empty(), "{}", found.text);
    Ok(())
}

/// The tests that compare the languages.
fn test_together(report: &mut Report) {
    let [first, others @ ..] = &ALL;
    agree(report, "fields", Differential::of_fields(first), others, |language| language.driver);
    agree(report, "strings", Differential::of_strings(), &ALL, |language| language.evaluator);
    let decisions = Differential::of_decisions();
    agree(report, "decisions", decisions, &ALL, |language| language.evaluator);
    report.check("the demo agrees", demo::check);
    report.check("the scenario agrees", || scenario::run(languages::clients(&ALL)?));
    for document in ["README.md", "docs/migrating.md"] {
        docs::test(report, &root().join(document));
    }
}

/// Checks that languages give the same answers.
fn agree(
    report: &mut Report,
    what: &str,
    differential: Result<Differential>,
    languages: &[Language],
    program: fn(&Language) -> fn() -> Result<Command>,
) {
    match differential {
        Ok(differential) => {
            for language in languages {
                report.check(&format!("differential, {what}: {} agrees", language.name), || {
                    differential.agrees(&mut program(language)()?)
                });
            }
        }
        Err(error) => report.check(&format!("differential, {what}"), || Err(error)),
    }
}
