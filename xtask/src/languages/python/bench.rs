//! The harness of `cargo xtask bench` (bench/README.md).

use std::fs;
use std::process::Command;

use anyhow::Result;

use super::tools::INPUTS;
use super::wheels::published;
use crate::fresh;
use crate::shell::{command, empty, progress, root, run, scratch};
use crate::venv;

/// The harness over the installed wheel.
pub(crate) fn bench() -> Result<Command> {
    let wheel = published()?;
    let (environment, programs) =
        (scratch().join("bench-python"), scratch().join("bench-python-src"));
    let inputs: Vec<&str> = INPUTS.into_iter().chain(["bench/python"]).collect();
    fresh::unless_fresh(&environment, &inputs, || {
        progress("installing what Python is measured beside");
        empty(&programs)?;
        for entry in fs::read_dir(root().join("bench/python"))? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                fs::copy(entry.path(), programs.join(entry.file_name()))?;
            }
        }
        venv::create(&environment)?;
        run(venv::install(&environment)?.arg("-r").arg(programs.join("requirements.txt")))?;
        run(venv::install(&environment)?.args(["--force-reinstall", "--no-deps"]).arg(&wheel))?;
        run(command(environment.join("bin/python")).arg(programs.join("build_floor.py")))
    })?;
    let mut python = command(environment.join("bin/python"));
    python.arg(programs.join("main.py"));
    Ok(python)
}
