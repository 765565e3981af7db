//! `cargo xtask test`: everything that must be true.

use anyhow::{Context, Result};

use crate::differential::Differential;
use crate::languages::{ALL, Language};
use crate::report::{Report, Runner};
use crate::shell::{command, root};
use crate::{demo, docs, generate, languages};

/// All languages, and what holds between them.
pub(crate) fn all() -> Result<()> {
    let mut report = Report::default();
    shared(&mut report);
    for language in &ALL {
        alone(language, &mut report);
    }
    together(&mut report);
    report.end()
}

/// One language.
pub(crate) fn one(name: &str) -> Result<()> {
    let language = ALL.iter().find(|language| language.name == name).with_context(|| {
        format!("no language {name}; there are {}", ALL.map(|language| language.name).join(", "))
    })?;
    let mut report = Report::default();
    alone(language, &mut report);
    report.end()
}

fn alone(language: &Language, report: &mut Report) {
    (language.test)(report);
    for document in language.documents {
        docs::test(report, &root().join(document));
    }
}

/// What all languages stand on: generated files, the reference, the docs.
fn shared(report: &mut Report) {
    report.check("generated files are fresh", generate::check);
    match languages::python::tools() {
        Ok(tools) => {
            let python = |tool: &str| command(tools.join("bin").join(tool));
            report.command("ruff check", python("ruff").args(["check", "tests"]));
            report.command("ruff format", python("ruff").args(["format", "--check", "tests"]));
            report.suite(
                "the reference against published numbers",
                Runner::Pytest,
                python("pytest").args(["-q", "-p", "no:cacheprovider", "tests"]),
            );
        }
        Err(error) => report.check("tools for Python", || Err(error)),
    }
    report.check("no path of a machine is committed", no_machine_paths);
}

/// A path of a home or of a temporary folder in a committed file is one that nobody else has.
fn no_machine_paths() -> Result<()> {
    let found = crate::shell::output(command("git").args([
        "grep",
        "-nIE",
        "(/root|/home/[a-z]+|/tmp)/[a-z]",
        "--",
        ".",
        ":!Cargo.lock",
    ]))?;
    anyhow::ensure!(found.text.is_empty(), "{}", found.text);
    Ok(())
}

/// What holds between the languages.
fn together(report: &mut Report) {
    let [first, others @ ..] = &ALL;
    match Differential::start(first) {
        Ok(differential) => {
            report.check("differential: the reference agrees", || Ok(()));
            for Language { name, driver, .. } in others {
                let what = format!("differential: {name} agrees");
                report.check(&what, || differential.agrees(&mut driver()?));
            }
        }
        Err(error) => report.check("differential: the reference agrees", || Err(error)),
    }
    report.check("the demo agrees", demo::check);
    docs::test(report, &root().join("README.md"));
}
