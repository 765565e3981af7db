//! One file per language: how to build what its users install, and how to test that.

pub(crate) mod c;
pub(crate) mod go;
pub(crate) mod js;
pub(crate) mod python;
pub(crate) mod rust;

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::report::{Extent, Report};
use crate::shell::progress;

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
    /// The files that are published, built for these platforms.
    pub(crate) packages: fn(Platforms) -> Result<Vec<PathBuf>>,
    /// Its own tests, over the installed artifact.
    pub(crate) test: fn(&mut Report),
    /// Tests that take longer, or that need more than the tools of the languages: every platform,
    /// every runtime.
    pub(crate) test_more: fn(&mut Report),
    /// What `cargo xtask test` calls the tests of its adapters.
    pub(crate) hosts_part: &'static str,
    /// Its adapters on the libraries that they adapt, which it installs beside the artifact. With
    /// `Extent::All` also on the oldest supported versions.
    pub(crate) hosts: fn(Extent, &mut Report),
    /// Its harness of benchmarks, over the installed artifact.
    pub(crate) bench: fn() -> Result<Command>,
    /// The folder whose README and `docs/` have programs and commands that `docs` runs. The tests of the
    /// other languages run those of their own pages.
    pub(crate) documents: Option<&'static str>,
    /// The output of a program of the documents, over the installed artifact.
    pub(crate) snippet: fn(&str) -> Result<String>,
}

/// A queue, and its program: it takes the address of a server, a policy, a seed, the id of a job and
/// how often the job fails.
pub(crate) struct Queue {
    pub(crate) name: &'static str,
    /// Of `tests/hosts/servers.py`.
    pub(crate) server: &'static str,
    /// How much later than its delay the queue may schedule a retry. It never schedules one earlier.
    pub(crate) resolution: Duration,
    pub(crate) program: Command,
}

/// The queues that have an adapter.
pub(crate) fn queues() -> Result<Vec<Queue>> {
    Ok([python::queues()?, js::queues()?, go::queues()?].into_iter().flatten().collect())
}

/// A language whose processes can share a budget, and its program: it takes the kind of a store, its
/// address, the name of a budget, its string, how many retries it requests of the store, and the file
/// in which it records its exchanges with the store.
pub(crate) struct Member {
    pub(crate) name: &'static str,
    pub(crate) program: fn() -> Result<Command>,
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
        driver: rust::driver,
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
        driver: c::driver,
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
        driver: go::driver,
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
        driver: python::driver,
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
        driver: js::driver,
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
