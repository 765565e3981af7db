//! The harness of `cargo xtask bench` (bench/README.md).

use std::process::Command;

use anyhow::Result;

use super::packaged::packaged;
use crate::shell::{cargo, command, progress, root, run, scratch};

/// The harness over the packaged crates.
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
