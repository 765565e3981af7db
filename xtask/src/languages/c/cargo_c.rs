//! `cargo cinstall`, with which distributions install libraries in Rust.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use super::make::prefix;
use crate::report::Report;
use crate::shell::{cargo, command, empty, files_below, progress, root, run, scratch, stdout};

/// The last that the pinned Rust builds.
const CARGO_C: &str = "0.10.24+cargo-0.98.0";

/// It installs the same files, and the same package of CMake.
pub(super) fn test_more(report: &mut Report) {
    report.runs_on(("C and C++", "build systems", "cargo-c"), || {
        let destination = scratch().join("c-cinstall");
        empty(&destination)?;
        let tools = tools()?;
        let mut install = command(tools.join("bin/cargo-cinstall"));
        install.current_dir(root().join("bindings-c"));
        install.args(["cinstall", "--locked", "--prefix", "/usr", "--libdir", "lib", "--destdir"]);
        install.arg(&destination).env("CARGO_TARGET_DIR", scratch().join("c-cinstall-target"));
        run(&mut install)?;
        let usr = destination.join("usr");
        let (ours, theirs) = (files(&prefix()?)?, files(&usr)?);
        ensure!(ours == theirs, "expected {ours:?}\nit installs {theirs:?}");
        for name in ["backoff-config.cmake", "backoff-config-version.cmake"] {
            let read = |folder: &Path| fs::read(folder.join("lib/cmake/backoff").join(name));
            ensure!(read(&prefix()?)? == read(&usr)?, "another {name}");
        }
        let program = destination.join("retry");
        let mut compile = command("cc");
        compile.arg("bindings-c/examples/retry.c").arg("-I").arg(usr.join("include"));
        run(compile.arg(usr.join("lib/libbackoff.so")).arg("-o").arg(&program))?;
        let printed = stdout(command(&program).env("LD_LIBRARY_PATH", usr.join("lib")))?;
        ensure!(printed.ends_with("done\n"), "{printed}");
        Ok(CARGO_C.split('+').next().unwrap_or_default().to_owned())
    });
}

/// cargo-c. Without optimisation it is built in a third of the time.
fn tools() -> Result<PathBuf> {
    let folder = scratch().join("cargo-c");
    if !folder.join("bin/cargo-cinstall").exists() {
        progress("building cargo-c, which takes some minutes");
        let mut install = cargo();
        install.args(["install", "--debug", "--locked", &format!("cargo-c@{CARGO_C}"), "--root"]);
        run(install.arg(&folder).env("CARGO_TARGET_DIR", scratch().join("cargo-c-target")))?;
    }
    Ok(folder)
}

/// The installed files.
fn files(folder: &Path) -> Result<BTreeSet<PathBuf>> {
    let files = files_below(folder)?.into_iter();
    files.map(|path| Ok(path.strip_prefix(folder)?.to_owned())).collect()
}
