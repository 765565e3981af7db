//! Rust: the crates, and what users get of them.

use serde_json::json;

use crate::languages::Platforms;
use crate::report::Report;
use crate::shell::*;
use crate::{api, audit, crates, servers};

mod hosts;
mod packaged;
mod users;

pub(crate) use hosts::test as hosts;
use packaged::features;
pub(crate) use packaged::snippet;

pub(crate) fn bench() -> Result<Program> {
    progress("building Rust's benchmarks");
    let folder = scratch().join("rust-bench");
    let build = cargo("build --quiet --locked --release").within(root().join("bench/rust"));
    // They take the place of the patch in the manifest.
    let build =
        build.args(packaged::patches(&["backoff-core", "backoff-retry", "backoff-adapters"])?);
    build.env("CARGO_TARGET_DIR", &folder).run()?;
    Ok(program_at(folder.join("release/bench-rust")))
}

pub(crate) fn evaluator() -> Result<Program> {
    crates::example("evaluate")
}

pub(crate) fn client() -> Result<Program> {
    crates::example("http")
}

pub(crate) fn fleet() -> Result<Program> {
    crates::example("fleet")
}

pub(crate) fn contention() -> Result<Program> {
    crates::example("contention")
}

pub(crate) fn packages(_: Platforms) -> Result<Vec<PathBuf>> {
    packaged::archives()
}

/// Lints and tests of all crates, and what users get of them.
pub(crate) fn test(report: &mut Report) {
    report.check("cargo fmt", || cargo("fmt --all --check").run());
    if program("java -version").ends().is_err() {
        progress("no JDK: the draws are compared with recorded draws of OpenJDK 17");
    }
    crates::test(report);
    let is_all = report.is_all;
    // libbackoff is built without the standard library, which others turn on in what they share.
    report.check("clippy: bindings-c", || clippy("--package bindings-c --package header"));
    report.check("clippy: each feature of the core and of the loops alone", || {
        each_alone("backoff-core", "core")?;
        each_alone("backoff-retry", "bindings-rust")
    });
    report.check("clippy: the loops without features, in WebAssembly", || {
        add_target(WASM)?;
        clippy(&format!("--package backoff-retry --no-default-features --target {WASM}"))
    });
    report.check("rustdoc --no-default-features", || {
        let doc = cargo("doc --locked --no-deps --no-default-features");
        doc.args(api::packages(is_all)).env("RUSTDOCFLAGS", "-D warnings").run()
    });
    report.check("rustdoc: the pages of docs.rs name the features that items need", || {
        api::docs_rs(is_all)
    });
    report.suite("the archives of the crates", || {
        let mut crates = json!({});
        for (name, folder) in packaged::CRATES {
            packaged::packaged(name)?;
            crates[name] = json!({ "folder": folder, "archive": packaged::archive(name) });
        }
        let check = python3("bindings-rust/tests/archives.py");
        Ok(check.env("BACKOFF_CRATES", crates.to_string()))
    });
    users::test(report);
    report.check("the HTTP example waits for the delays of the core", || {
        servers::clients(&[("rust", client)])?.run()
    });
    if report.is_all {
        audit::test(report);
        // Each brings other libraries.
        report.check("clippy: each feature of the adapters alone", || {
            each_alone("backoff-adapters", "bindings-rust/adapters")
        });
        users::on_targets(report);
        users::test_more(report);
    }
}

fn each_alone(package: &str, folder: &str) -> Result<()> {
    let features = features(&root().join(folder))?.into_keys();
    features.chain([String::new()]).try_for_each(|feature| {
        clippy(&format!("--package {package} --no-default-features --features={feature}"))
    })
}

/// Clippy on what the tests of the crates do not compile (`crates.rs`).
fn clippy(line: &str) -> Result<()> {
    cargo("clippy --locked --quiet").words(line).words("-- -D warnings").run()
}
