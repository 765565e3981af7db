//! The harness of `cargo xtask bench` (bench/README.md).

use std::process::Command;

use anyhow::{Result, bail};

/// The harness over the published package.
pub(crate) fn bench() -> Result<Command> {
    bail!("no harness yet")
}
