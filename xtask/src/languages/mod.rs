//! One file per language: how to build what its users install, and how to test that.

pub(crate) mod c;
pub(crate) mod go;
pub(crate) mod js;
pub(crate) mod language;
pub(crate) mod python;
pub(crate) mod rust;

use std::process::Command;

use anyhow::{Context, Result};

use crate::languages::language::{Language, Member, Queue};
use crate::shell::progress;

/// The queues that have an adapter.
pub(crate) fn queues() -> Result<Vec<Queue>> {
    Ok([python::queues()?, js::queues()?, go::queues()?].into_iter().flatten().collect())
}

/// The program of clients that contend for one budget.
pub(crate) use rust::contention;

/// The languages that have shared budgets.
pub(crate) fn fleet() -> [Member; 4] {
    [
        Member { name: "rust", program: rust::fleet },
        Member { name: "go", program: go::fleet },
        Member { name: "python", program: python::fleet },
        Member { name: "js", program: js::fleet },
    ]
}

/// All languages. The differential test compares the others with the first.
pub(crate) static ALL: [Language; 5] = [
    Language {
        name: "rust",
        evaluator: rust::evaluator,
        client: rust::client,
        packages: rust::packages,
        test: rust::test,
        test_more: rust::test_more,
        hosts_part: "hosts-rust",
        hosts: rust::hosts,
        bench: rust::bench,
        documents: None,
        snippet: rust::snippet,
    },
    Language {
        name: "c",
        evaluator: c::evaluator,
        client: c::client,
        packages: c::packages,
        test: c::test,
        test_more: c::test_more,
        hosts_part: "hosts-c",
        hosts: c::hosts,
        bench: c::bench,
        documents: Some("bindings-c"),
        snippet: c::snippet,
    },
    Language {
        name: "go",
        evaluator: go::evaluator,
        client: go::client,
        packages: go::packages,
        test: go::test,
        test_more: go::test_more,
        hosts_part: "hosts-go",
        hosts: go::hosts,
        bench: go::bench,
        documents: None,
        snippet: go::snippet,
    },
    Language {
        name: "python",
        evaluator: python::evaluator,
        client: python::client,
        packages: python::packages,
        test: python::test,
        test_more: python::test_more,
        hosts_part: "hosts-python",
        hosts: python::hosts,
        bench: python::bench,
        documents: None,
        snippet: python::snippet,
    },
    Language {
        name: "js",
        evaluator: js::evaluator,
        client: js::client,
        packages: js::packages,
        test: js::test,
        test_more: js::test_more,
        hosts_part: "hosts-js",
        hosts: js::hosts,
        bench: js::bench,
        documents: None,
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
