//! The harness of `cargo xtask bench` (bench/README.md).

use std::process::Command;

use anyhow::Result;

use super::command::go_alone;
use crate::shell::{command, progress, root, run, scratch};

/// The harness over the module of this checkout.
pub(crate) fn bench() -> Result<Command> {
    progress("building Go's benchmarks");
    let path = scratch().join("go-bench");
    run(benchmarks().args(["build", "-o"]).arg(&path).arg("."))?;
    Ok(command(path))
}

/// The go command in the module of the benchmarks, whose go.mod and go.sum pin the peers.
pub(super) fn benchmarks() -> Command {
    let mut go = go_alone();
    go.env("GOFLAGS", "-mod=readonly").current_dir(root().join("bench/go"));
    go
}
