//! Rust: the crates, and what users get of them.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::audit;
use crate::languages::Platforms;
use crate::report::{Report, Runner};
use crate::shell::{WASM, add_target, cargo, command, progress, root, run, scratch, target};

mod bench;
mod contents;
mod features;
mod hosts;
mod packaged;
mod targets;
mod users;

pub(crate) use bench::bench;
pub(crate) use hosts::{fleet, test as hosts};
pub(crate) use packaged::snippet;

/// The driver.
pub(crate) fn driver() -> Result<Command> {
    example("driver")
}

/// The evaluator.
pub(crate) fn evaluator() -> Result<Command> {
    example("evaluate")
}

fn example(name: &str) -> Result<Command> {
    progress(&format!("building Rust's {name}"));
    run(cargo()
        .args(["build", "--locked", "--release", "--package", "backoff-core"])
        .args(["--example", name]))?;
    Ok(command(target().join("release/examples").join(name)))
}

/// The HTTP example. Built without optimisation, because linking with it takes a minute and the
/// example spends its time in waits.
pub(crate) fn client() -> Result<Command> {
    progress("building Rust's http");
    run(cargo()
        .args(["build", "--locked", "--package", "backoff-retry", "--features", "tokio"])
        .args(["--example", "http"]))?;
    Ok(command(target().join("debug/examples/http")))
}

/// The files that are published.
pub(crate) fn packages(_: Platforms) -> Result<Vec<PathBuf>> {
    packaged::archives()
}

/// Lints of all crates, and the tests of the core, of the loops and of xtask.
pub(crate) fn test(report: &mut Report) {
    report.command("cargo fmt", cargo().args(["fmt", "--all", "--check"]));
    let clippy = |arguments: &[&str]| {
        let mut command = cargo();
        command.args(["clippy", "--locked", "--quiet"]).args(arguments);
        command.args(["--", "-D", "warnings"]);
        command
    };
    // Separate runs, because the tests of the loops and the tools turn on features of shared
    // dependencies that libbackoff is built without.
    for packages in [
        &["backoff-core"][..],
        &["backoff-retry"],
        &["backoff-adapters"],
        &["bindings-c"],
        &["bindings-python", "bindings-wasm", "bindings-wasm-delay"],
        &["backoff-export"],
        &["backoff-sim", "backoff-cli"],
        &["xtask", "wasm-to-go", "scenario", "bindings-wasm-glue"],
    ] {
        let arguments = packages.iter().flat_map(|package| ["--package", package]);
        let arguments: Vec<_> =
            ["--all-targets", "--all-features"].into_iter().chain(arguments).collect();
        report.command(&format!("clippy: {}", packages.join(", ")), &mut clippy(&arguments));
    }
    report.check("clippy: each feature of the core and of the loops alone", || {
        let crates = [
            ("backoff-core", "core"),
            ("backoff-retry", "bindings-rust"),
            ("backoff-adapters", "bindings-rust/adapters"),
        ];
        for (package, manifest) in crates {
            for feature in [String::new()]
                .into_iter()
                .chain(packaged::features(&root().join(manifest))?.into_keys())
            {
                let alone = ["--no-default-features", "--features", &feature];
                run(&mut clippy(&[&["--package", package], &alone[..]].concat()))?;
            }
        }
        Ok(())
    });
    report.check("clippy: the loops without features, in WebAssembly", || {
        add_target(WASM)?;
        let features = ["--package", "backoff-retry", "--no-default-features"];
        run(&mut clippy(&[&features[..], &["--target", WASM]].concat()))
    });
    for features in ["--all-features", "--no-default-features"] {
        report.command(
            &format!("rustdoc {features}"),
            cargo()
                .args(["doc", "--locked", "--no-deps", features])
                .args(["--package", "backoff-core", "--package", "backoff-retry"])
                .args(["--package", "backoff-adapters", "--package", "backoff-export"])
                .args(["--package", "backoff-sim"])
                .env("RUSTDOCFLAGS", "-D warnings"),
        );
    }
    report.check("the pages of docs.rs name the features that items need", docs_rs);
    if command("java").arg("-version").output().is_err() {
        progress("no JDK: the draws are compared with recorded draws of OpenJDK 17");
    }
    for folder in ["core", "bindings-rust", "examples/scenario", "xtask", "xtask/wasm-to-go"] {
        report.suite(
            &format!("cargo test in {folder}"),
            Runner::Summary,
            cargo().args(["test", "--locked"]).current_dir(root().join(folder)),
        );
    }
    contents::test(report);
    features::test(report);
    targets::test(report);
    users::test(report);
    report.check("the HTTP example waits for the delays of the core", || {
        scenario::check("rust", client()?)
    });
}

/// The pages as docs.rs makes them, with a switch that only its compiler has.
fn docs_rs() -> Result<()> {
    let folder = scratch().join("docs-rs");
    run(cargo()
        .args(["doc", "--locked", "--no-deps", "--all-features", "--target-dir"])
        .arg(&folder)
        .args(["--package", "backoff-core", "--package", "backoff-retry"])
        .args(["--package", "backoff-adapters"])
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTDOCFLAGS", "--cfg docsrs -D warnings"))?;
    for item in ["backoff_core/struct.RngBackoff", "backoff_retry/struct.Retry"] {
        let page = fs::read_to_string(folder.join("doc").join(item).with_added_extension("html"))?;
        ensure!(page.contains("Available on <strong>crate feature"), "{item} names no feature");
    }
    Ok(())
}

/// Tests that take longer.
pub(crate) fn test_more(report: &mut Report) {
    audit::test(report);
}
