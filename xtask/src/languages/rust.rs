//! Rust: the crates, and what users get of them.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::api;
use crate::audit;
use crate::crates;
use crate::languages::language::Platforms;
use crate::report::Report;
use crate::servers;
use crate::shell::{cargo, command, progress, root, run, scratch};

mod contents;
mod features;
mod hosts;
mod lints;
mod packaged;
mod targets;
mod users;

pub(crate) use hosts::{contention, fleet, test as hosts};
use packaged::packaged;
pub(crate) use packaged::snippet;

/// The harness of benchmarks, over the packaged crates.
pub(crate) fn bench() -> Result<Command> {
    progress("building Rust's benchmarks");
    let folder = scratch().join("rust-bench");
    let mut build = cargo();
    build.args(["build", "--quiet", "--locked", "--release"]);
    for name in ["backoff-core", "backoff-retry"] {
        // It takes the place of the patch in the manifest.
        let path = packaged(name)?.display().to_string();
        build.arg("--config").arg(format!("patch.crates-io.{name}.path={path:?}"));
    }
    run(build.env("CARGO_TARGET_DIR", &folder).current_dir(root().join("bench/rust")))?;
    Ok(command(folder.join("release/bench-rust")))
}

pub(crate) fn evaluator() -> Result<Command> {
    crates::example("evaluate")
}

pub(crate) fn client() -> Result<Command> {
    crates::example("http")
}

pub(crate) fn packages(_: Platforms) -> Result<Vec<PathBuf>> {
    packaged::archives()
}

/// Lints and tests of all crates, and what users get of them.
pub(crate) fn test(report: &mut Report) {
    report.command("cargo fmt", cargo().args(["fmt", "--all", "--check"]));
    if command("java").arg("-version").output().is_err() {
        progress("no JDK: the draws are compared with recorded draws of OpenJDK 17");
    }
    crates::test(report);
    let extent = report.extent();
    lints::test(report);
    report.command(
        "rustdoc --no-default-features",
        cargo()
            .args(["doc", "--locked", "--no-deps", "--no-default-features"])
            .args(api::packages(extent))
            .env("RUSTDOCFLAGS", "-D warnings"),
    );
    report.check("rustdoc: the pages of docs.rs name the features that items need", || {
        api::docs_rs(extent)
    });
    contents::test(report);
    features::test(report);
    users::test(report);
    report.check("the HTTP example waits for the delays of the core", || {
        servers::clients_agree(&[("rust".to_owned(), client()?)])
    });
}

pub(crate) fn test_more(report: &mut Report) {
    audit::test(report);
    lints::test_more(report);
    features::test_more(report);
    targets::test(report);
    users::test_more(report);
}
