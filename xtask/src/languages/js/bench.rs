//! The harness of `cargo xtask bench` (bench/README.md).

use std::fs;
use std::process::Command;

use anyhow::Result;

use super::{INPUTS, tarball};
use crate::fresh;
use crate::shell::{command, empty, progress, root, run, scratch};

/// The harness over the installed tarball.
pub(crate) fn bench() -> Result<Command> {
    let tarball = tarball()?;
    let folder = scratch().join("bench-js");
    let inputs: Vec<&str> = INPUTS.into_iter().chain(["bench/js"]).collect();
    fresh::unless_fresh(&folder, &inputs, || {
        progress("installing what JavaScript is measured beside");
        empty(&folder)?;
        for entry in fs::read_dir(root().join("bench/js"))? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                fs::copy(entry.path(), folder.join(entry.file_name()))?;
            }
        }
        let npm = |arguments: &[&str]| {
            let mut npm = command("npm");
            npm.args(arguments).args(["--no-audit", "--no-fund"]).current_dir(&folder);
            npm
        };
        run(&mut npm(&["ci"]))?;
        run(npm(&["install", "--no-save"]).arg(&tarball))
    })?;
    let mut node = command("node");
    node.arg("main.mjs").current_dir(folder);
    Ok(node)
}
