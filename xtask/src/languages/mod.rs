//! One file per language: how to build what its users install, and how to test that.

pub(crate) mod c;
pub(crate) mod go;
pub(crate) mod js;
pub(crate) mod language;
pub(crate) mod python;
pub(crate) mod rust;

use std::process::Command;

use anyhow::{Context, Result};

use crate::languages::language::Language;
use crate::shell::progress;

/// A language over the functions of its module.
macro_rules! language {
    ($name:ident, $hosts_part:literal, $documents:expr) => {
        Language {
            name: stringify!($name),
            evaluator: $name::evaluator,
            client: $name::client,
            packages: $name::packages,
            test: $name::test,
            test_more: $name::test_more,
            hosts_part: $hosts_part,
            hosts: $name::hosts,
            bench: $name::bench,
            documents: $documents,
            snippet: $name::snippet,
        }
    };
}

/// All languages. The differential test compares the others with the first.
pub(crate) static ALL: [Language; 5] = [
    language!(rust, "hosts-rust", None),
    language!(c, "hosts-c", Some("bindings-c")),
    language!(go, "hosts-go", None),
    language!(python, "hosts-python", None),
    language!(js, "hosts-js", None),
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
