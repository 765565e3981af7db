//! One file per language: how to build what its users install, and how to test that.

pub(crate) mod c;
pub(crate) mod go;
pub(crate) mod js;
pub(crate) mod python;
pub(crate) mod rust;

use std::process::Command;

use anyhow::{Context, Result};

use crate::report::Report;
use crate::shell::progress;

/// A language and what the verbs need of it.
#[derive(Clone, Copy)]
pub(crate) struct Language {
    pub(crate) name: &'static str,
    /// Its driver, over the installed artifact.
    pub(crate) driver: fn() -> Result<Command>,
    /// Its evaluator, over the installed artifact.
    pub(crate) evaluator: fn() -> Result<Command>,
    /// Its HTTP example, over the installed artifact.
    pub(crate) client: fn() -> Result<Command>,
    /// Its own tests, over the installed artifact.
    pub(crate) test: fn(&mut Report),
    /// Documents whose programs and commands `docs` runs. The tests of the other languages run
    /// those of their own README.
    pub(crate) documents: &'static [&'static str],
    /// The output of a program of the documents, over the installed artifact.
    pub(crate) snippet: fn(&str) -> Result<String>,
}

/// All languages. The differential test compares the others with the first.
pub(crate) static ALL: [Language; 5] = [
    Language {
        name: "rust",
        driver: rust::driver,
        evaluator: rust::evaluator,
        client: rust::client,
        test: rust::test,
        documents: &[],
        snippet: rust::snippet,
    },
    Language {
        name: "c",
        driver: c::driver,
        evaluator: c::evaluator,
        client: c::client,
        test: c::test,
        documents: &["bindings-c/README.md"],
        snippet: c::snippet,
    },
    Language {
        name: "go",
        driver: go::driver,
        evaluator: go::evaluator,
        client: go::client,
        test: go::test,
        documents: &[],
        snippet: go::snippet,
    },
    Language {
        name: "python",
        driver: python::driver,
        evaluator: python::evaluator,
        client: python::client,
        test: python::test,
        documents: &[],
        snippet: python::snippet,
    },
    Language {
        name: "js",
        driver: js::driver,
        evaluator: js::evaluator,
        client: js::client,
        test: js::test,
        documents: &[],
        snippet: js::snippet,
    },
];

/// The language with this name.
pub(crate) fn named(name: &str) -> Result<&'static Language> {
    ALL.iter().find(|language| language.name == name).with_context(|| {
        format!(
            "unknown language {name}, expected {}",
            ALL.map(|language| language.name).join(", ")
        )
    })
}

/// The HTTP examples, with the names of their languages.
pub(crate) fn clients(languages: &[Language]) -> Result<Vec<(String, Command)>> {
    let client = |language: &Language| {
        progress(&format!("preparing the client of {}", language.name));
        let client = (language.client)().with_context(|| format!("for {}", language.name))?;
        Ok((language.name.to_owned(), client))
    };
    languages.iter().map(client).collect()
}
