//! `cargo xtask test`: all tests, and those that compare the languages.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::{Result, anyhow};

use crate::differential::Differential;
use crate::languages::language::Language;
use crate::languages::{ALL, named};
use crate::report::{Extent, Report};
use crate::shell::{command, root, run};
use crate::{
    bench, demo, dist, docs, engines, generate, languages, processes, program, servers, version,
};

const ACTIONLINT: &str = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12";

/// How many parts are tested at once, on a machine with two cores: some wait for servers.
const AT_ONCE: usize = 5;

/// A part of the tests: its name, and what runs it.
type Part = (&'static str, Box<dyn FnOnce(&mut Report) + Send>);

/// Tests everything.
pub(crate) fn everything(extent: Extent) -> Result<()> {
    let mut report = Report::new(extent);
    // The first compile with cargo, which does it for one of them at a time and on all cores. So one
    // thread takes these, one after the other. The others begin at the end, with parts that mostly wait.
    let mut parts: VecDeque<Part> = VecDeque::new();
    parts.push_back(("shared", Box::new(test_shared)));
    parts.push_back(alone("rust", extent)?);
    parts.push_back(hosts("rust", extent)?);
    parts.push_back(("command", Box::new(move |report| test_command(extent, report))));
    parts.push_back(("shared", Box::new(test_together)));
    for part in [alone, hosts] {
        for name in ["c", "js"] {
            parts.push_back(part(name, extent)?);
        }
    }
    parts.push_back(alone("python", extent)?);
    parts.push_back(hosts("go", extent)?);
    parts.push_back(("processes", Box::new(processes::test)));
    parts.push_back(hosts("python", extent)?);
    parts.push_back(alone("go", extent)?);
    run_at_once(parts, &mut report)?;
    // The commands of the pages build packages, which the other parts build as well.
    report.part("pages", test_pages);
    if extent == Extent::All {
        report.part("bench", bench::test);
        report.part("dist", dist::test);
    }
    report.end()
}

/// Runs parts on some threads. The first thread takes them from the front, the others from the end.
fn run_at_once(parts: VecDeque<Part>, report: &mut Report) -> Result<()> {
    let extent = report.extent();
    let (parts, whole) = (Mutex::new(parts), Mutex::new(report));
    let next = |number: usize| {
        let mut parts = parts.lock().unwrap_or_else(PoisonError::into_inner);
        if number == 0 { parts.pop_front() } else { parts.pop_back() }
    };
    thread::scope(|scope| {
        let work = |number| {
            let (next, whole) = (&next, &whole);
            scope.spawn(move || {
                while let Some((name, run)) = next(number) {
                    let mut report = Report::new(extent);
                    report.part(name, run);
                    whole.lock().unwrap_or_else(PoisonError::into_inner).add(report);
                }
            })
        };
        let threads: Vec<_> = (0..AT_ONCE).map(work).collect();
        for thread in threads {
            thread.join().map_err(|_| anyhow!("a part of the tests panicked"))?;
        }
        Ok(())
    })
}

/// Tests one part: a language, the command, or what is shared.
pub(crate) fn part(name: &str, extent: Extent) -> Result<()> {
    let mut report = Report::new(extent);
    let parts: Vec<Part> = match name {
        "shared" => vec![("shared", Box::new(test_shared)), ("shared", Box::new(test_together))],
        "pages" => vec![("pages", Box::new(test_pages))],
        "bench" => vec![("bench", Box::new(bench::test))],
        "processes" => vec![("processes", Box::new(processes::test))],
        "dist" => vec![("dist", Box::new(dist::test))],
        "command" => vec![("command", Box::new(move |report| test_command(extent, report)))],
        "hosts" => {
            let all = ALL.iter().map(|language| hosts(language.name, extent));
            let processes: Part = ("processes", Box::new(processes::test));
            all.chain([Ok(processes)]).collect::<Result<_>>()?
        }
        part => vec![match part.strip_prefix("hosts-") {
            Some(language) => hosts(language, extent)?,
            None => alone(part, extent)?,
        }],
    };
    for (name, run) in parts {
        report.part(name, run);
    }
    report.end()
}

fn test_command(extent: Extent, report: &mut Report) {
    program::test(report);
    engines::test(report);
    if extent == Extent::All {
        program::test_more(report);
    }
}

/// The tests of a language and of its documents.
fn alone(name: &str, extent: Extent) -> Result<Part> {
    let language = named(name)?;
    let test = move |report: &mut Report| {
        (language.test)(report);
        if extent == Extent::All {
            (language.test_more)(report);
        }
        if let Some(folder) = language.documents {
            docs::test(report, &root().join(folder).join("README.md"));
            docs::test_folder(report, &format!("{folder}/docs"), &[]);
        }
    };
    Ok((language.name, Box::new(test)))
}

/// The tests of the adapters of a language.
fn hosts(name: &str, extent: Extent) -> Result<Part> {
    let language = named(name)?;
    Ok((language.hosts_part, Box::new(move |report| (language.hosts)(extent, report))))
}

/// The generated files and the shared tests.
fn test_shared(report: &mut Report) {
    let extent = report.extent();
    report.check("generated files are fresh", || generate::check(extent));
    report.check("all packages have one version", version::check);
    if extent == Extent::All {
        report.check("actionlint", || {
            // Not with the shellcheck of this machine, if it has one.
            run(command("go").args(["run", ACTIONLINT, "-shellcheck=", "-pyflakes="]))
        });
    }
    let python = languages::python::tool;
    let folders = ["tests", "tools", "bench", "stores", "xtask"];
    report.check("ruff check", || run(python("ruff")?.arg("check").args(folders)));
    report.check("ruff format", || run(python("ruff")?.args(["format", "--check"]).args(folders)));
    report.pytest("the shared tests in tests/, bench/ and xtask/", || {
        let mut pytest = python("pytest")?;
        pytest.args(["tests", "bench", "xtask"]);
        Ok(pytest)
    });
}

/// The tests that compare the languages.
fn test_together(report: &mut Report) {
    let [first, others @ ..] = &ALL;
    agree(report, "fields", Differential::of_fields(first), others);
    agree(report, "strings", Differential::of_strings(), &ALL);
    agree(report, "decisions", Differential::of_decisions(), &ALL);
    agree(report, "members", Differential::of_members(), &ALL);
    for language in &ALL {
        report
            .check(&format!("`backoff verify` passes the evaluator of {}", language.name), || {
                program::verify(&(language.evaluator)()?)
            });
    }
    report.check("the demo agrees", demo::check);
    report.check("the scenario agrees", || servers::clients_agree(&languages::clients(&ALL)?));
}

/// The pages with programs in several languages.
fn test_pages(report: &mut Report) {
    docs::test(report, &root().join("README.md"));
    docs::test_folder(report, "docs", &program::DOCUMENTS);
}

/// Checks that languages give the same answers.
fn agree(
    report: &mut Report,
    what: &str,
    differential: Result<Differential>,
    languages: &[Language],
) {
    match differential {
        Ok(differential) => {
            for language in languages {
                report.check(&format!("differential, {what}: {} agrees", language.name), || {
                    differential.agrees(&mut (language.evaluator)()?)
                });
            }
        }
        Err(error) => report.check(&format!("differential, {what}"), || Err(error)),
    }
}
