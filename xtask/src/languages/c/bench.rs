//! The harness of `cargo xtask bench` (bench/README.md).

use std::process::Command;

use anyhow::Result;

use super::make::prefix;
use crate::shell::{command, run, scratch};

/// The harness over the installed library.
pub(crate) fn bench() -> Result<Command> {
    let build = scratch().join("bench-c");
    let mut make = command("make");
    make.args(["--no-print-directory", "-C", "bench/c"]);
    make.arg(format!("PREFIX={}", prefix()?.display()));
    make.arg(format!("BUILD={}", build.display()));
    run(&mut make)?;
    Ok(command(build.join("bench")))
}
