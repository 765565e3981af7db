//! One file per language: how to build what its users install, and how to test that.

pub(crate) mod c;
pub(crate) mod go;
pub(crate) mod js;
pub(crate) mod python;
pub(crate) mod rust;

use std::process::Stdio;

use crate::shell::*;

/// The platforms that packages are built for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Platforms {
    /// This machine.
    Host,
    /// This machine, compiled as for the tests, which takes a fraction of the time.
    Tests,
    /// All that can be built for on this machine.
    All,
}

/// A language and what the verbs need of it, each over what its users install.
#[derive(Clone, Copy)]
pub(crate) struct Language {
    pub(crate) name: &'static str,
    pub(crate) evaluator: fn() -> Result<Program>,
    pub(crate) client: fn() -> Result<Program>,
    pub(crate) bench: fn() -> Result<Program>,
    /// The output of a program of the documents.
    pub(crate) snippet: fn(&str) -> Result<String>,
    /// The files that are published, built for these platforms.
    pub(crate) packages: fn(Platforms) -> Result<Vec<PathBuf>>,
}

/// A language over the functions of its module.
macro_rules! language {
    ($name:ident) => {
        Language {
            name: stringify!($name),
            evaluator: $name::evaluator,
            client: $name::client,
            bench: $name::bench,
            snippet: $name::snippet,
            packages: $name::packages,
        }
    };
}

/// All languages.
pub(crate) static ALL: [Language; 5] =
    [language!(rust), language!(c), language!(go), language!(python), language!(js)];

pub(crate) fn named(name: &str) -> Result<&'static Language> {
    let names = ALL.map(|language| language.name).join(", ");
    let found = ALL.iter().find(|language| language.name == name);
    found.with_context(|| format!("unknown language {name}, expected {names}"))
}

pub(crate) fn reference() -> Program {
    python3("tests/evaluate.py")
}

/// `cargo xtask evaluate LANGUAGE`: answers standard input on standard output.
pub(crate) fn evaluate(name: &str) -> Result<()> {
    let evaluator = if name == "reference" { reference() } else { (named(name)?.evaluator)()? };
    let status = evaluator.command().stdin(Stdio::inherit()).status()?;
    Ok(ensure!(status.success(), "the evaluator of {name} ended with {status}"))
}
