//! What the verbs need of a language.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::report::{Extent, Report};

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
