//! What the project may depend on (`deny.toml`), and what a release may change.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::api;
use crate::report::Report;
use crate::shell::{cargo, command, output, progress, run, scratch};

/// Tools of cargo that are compiled when they are first needed: without optimisation, which would
/// take longer than their work.
const DENY: (&str, &str) = ("cargo-deny", "0.20.2");
const SEMVER: (&str, &str) = ("cargo-semver-checks", "0.51.0");

/// Checks licenses, sources and bans, and that the interfaces can be compared.
pub(crate) fn test(report: &mut Report) {
    report.runs_on(("Rust", "checked by", "cargo-deny"), || {
        run(deny()?.args(["bans", "licenses", "sources"]))?;
        Ok(DENY.1.to_owned())
    });
    // Before the first release there is nothing else to compare with.
    report.runs_on(("Rust", "checked by", "cargo-semver-checks"), || {
        compare("HEAD")?;
        Ok(SEMVER.1.to_owned())
    });
}

/// `cargo xtask audit`: the same, and the known vulnerabilities of the crates, which GitHub lists.
pub(crate) fn audit() -> Result<()> {
    run(&mut deny()?)
}

/// `cargo xtask semver`: fails if the interface of a crate changed more than its version since the
/// last release.
pub(crate) fn semver() -> Result<()> {
    let last = ["describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD^"];
    let last = output(command("git").args(last))?;
    if !last.success {
        progress("no release before this one: there is no interface to compare with");
        return Ok(());
    }
    compare(last.text.trim())
}

/// Compares the interface of the crates with that of a commit.
fn compare(commit: &str) -> Result<()> {
    let mut check = tool(SEMVER)?;
    check.args(["semver-checks", "--all-features", "--baseline-rev", commit]);
    run(check.args(api::CRATES.iter().flat_map(|name| ["--package", name])))
}

fn deny() -> Result<Command> {
    let mut deny = tool(DENY)?;
    deny.args(["--locked", "check", "-D", "warnings"]);
    Ok(deny)
}

/// A tool of cargo in this version.
fn tool((name, version): (&str, &str)) -> Result<Command> {
    let folder = scratch().join("cargo-tools").join(format!("{name}-{version}"));
    let program = folder.join("bin").join(name);
    if !program.exists() {
        progress(&format!("compiling {name} {version}, which takes minutes"));
        install(&folder, name, version).with_context(|| format!("cannot install {name}"))?;
    }
    Ok(command(program))
}

fn install(folder: &Path, name: &str, version: &str) -> Result<()> {
    run(cargo()
        .args(["install", "--quiet", "--locked", "--debug", "--no-default-features"])
        .args([name, "--version", version, "--root"])
        .arg(folder)
        .env("CARGO_TARGET_DIR", scratch().join("cargo-tools/target")))
}
