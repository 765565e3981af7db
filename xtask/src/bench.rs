//! `cargo xtask bench`: the harness of each language, built over what its users install. What is done with
//! them, and with the results, is in `bench/`.

use std::process::Command;

use anyhow::Result;
use serde_json::{Value, json};

use crate::languages::language::Language;
use crate::languages::{ALL, c, js, named, python};
use crate::report::Report;
use crate::shell::{as_json, root, run as run_quietly, show};

/// Measures, prints a table, and perhaps writes the results or compares them.
pub(crate) fn run(words: &[&str]) -> Result<()> {
    show(runner()?.args(words))
}

fn runner() -> Result<Command> {
    // Not in the top folder: the paths among the arguments are from where it is called.
    let mut runner = Command::new("python3");
    runner.arg(root().join("bench/run.py")).env("XTASK", std::env::current_exe()?);
    Ok(runner)
}

/// Builds the harness of a language, and prints it as JSON, with the files whose sizes are shown.
pub(crate) fn print_harness(name: &str) -> Result<()> {
    let language = named(name)?;
    let mut harness = as_json(&(language.bench)()?);
    harness["files"] = files(language)?;
    println!("{harness}");
    Ok(())
}

/// What users of a language install or download.
fn files(language: &Language) -> Result<Value> {
    Ok(match language.name {
        "c" => json!({ "libbackoff.so": c::prefix()?.join("lib/libbackoff.so") }),
        "python" => json!({ "the wheel": python::published()? }),
        "js" => json!({ "the npm tarball": js::tarball()? }),
        _ => json!({}),
    })
}

/// Runs everything that is measured once, and checks its results. The times do not matter.
pub(crate) fn test(report: &mut Report) {
    for Language { name, .. } in &ALL {
        report.check(&format!("bench: the harness of {name}"), || {
            run_quietly(runner()?.args(["--check", name]))
        });
    }
}
