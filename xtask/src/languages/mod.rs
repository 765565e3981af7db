//! One file a language: how to build what its users install, and what to test through it.

pub(crate) mod c;
pub(crate) mod go;
pub(crate) mod js;
pub(crate) mod python;
pub(crate) mod rust;

use std::process::Command;

use anyhow::{Context, Result};

use crate::report::Report;
use crate::shell::progress;

/// A language and what can be asked of it.
#[derive(Clone, Copy)]
pub(crate) struct Language {
    pub(crate) name: &'static str,
    /// Its driver over the installed artifact, built if need be.
    pub(crate) driver: fn() -> Result<Command>,
    /// Its evaluator over the installed artifact, built if need be.
    pub(crate) evaluator: fn() -> Result<Command>,
    /// The HTTP example of its README over the installed artifact, built if need be.
    pub(crate) client: fn() -> Result<Command>,
    /// Its own tests, through the installed artifact.
    pub(crate) test: fn(&mut Report),
    /// Its documents whose programs and commands `docs` runs.
    pub(crate) documents: &'static [&'static str],
    /// What a program of its README prints, run by a user of the installed artifact.
    pub(crate) snippet: fn(&str) -> Result<String>,
}

/// Every language; the others are compared with the first.
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

/// The clients of languages, with their names.
pub(crate) fn clients(languages: &[Language]) -> Result<Vec<(String, Command)>> {
    let client = |language: &Language| {
        progress(&format!("preparing the client of {}", language.name));
        let client = (language.client)().with_context(|| format!("for {}", language.name))?;
        Ok((language.name.to_owned(), client))
    };
    languages.iter().map(client).collect()
}

/// The language of a name.
pub(crate) fn named(name: &str) -> Result<&'static Language> {
    ALL.iter().find(|language| language.name == name).with_context(|| {
        format!("no language {name}; there are {}", ALL.map(|language| language.name).join(", "))
    })
}
