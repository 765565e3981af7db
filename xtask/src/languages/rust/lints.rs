//! Clippy on what the tests of the crates do not compile (`crates.rs`).

use anyhow::Result;

use crate::languages::rust::packaged::features;
use crate::report::Report;
use crate::shell::{WASM, add_target, cargo, root, run};

pub(super) fn test(report: &mut Report) {
    // libbackoff is built without the standard library, which others turn on in what they share.
    report.check("clippy: bindings-c", || clippy(&["--package", "bindings-c"]));
    report.check("clippy: each feature of the core and of the loops alone", || {
        each_alone("backoff-core", "core")?;
        each_alone("backoff-retry", "bindings-rust")
    });
    report.check("clippy: the loops without features, in WebAssembly", || {
        add_target(WASM)?;
        clippy(&["--package", "backoff-retry", "--no-default-features", "--target", WASM])
    });
}

/// Each of the adapters' features brings other libraries.
pub(super) fn test_more(report: &mut Report) {
    report.check("clippy: each feature of the adapters alone", || {
        each_alone("backoff-adapters", "bindings-rust/adapters")
    });
}

fn each_alone(package: &str, folder: &str) -> Result<()> {
    for feature in std::iter::once(String::new()).chain(features(&root().join(folder))?.into_keys())
    {
        clippy(&["--package", package, "--no-default-features", "--features", &feature])?;
    }
    Ok(())
}

fn clippy(arguments: &[&str]) -> Result<()> {
    let mut clippy = cargo();
    clippy.args(["clippy", "--locked", "--quiet"]).args(arguments);
    run(clippy.args(["--", "-D", "warnings"]))
}
