//! What the project may depend on (`deny.toml`), and what a release may change.

use crate::api;
use crate::report::Report;
use crate::shell::*;

const DENY: (&str, &str) = ("cargo-deny", "0.20.2");
const SEMVER: (&str, &str) = ("cargo-semver-checks", "0.51.0");

/// Checks licenses, sources and bans, and that the interfaces can be compared.
pub(crate) fn test(report: &mut Report) {
    report.runs_on(("Rust", "checked by", DENY.0), || {
        deny()?.words("bans licenses sources").run()?;
        Ok(DENY.1.to_owned())
    });
    // Before the first release there is nothing else to compare with.
    report.runs_on(("Rust", "checked by", SEMVER.0), || {
        compare("HEAD")?;
        Ok(SEMVER.1.to_owned())
    });
}

/// `cargo xtask audit`: the same, and the known vulnerabilities of the crates, which GitHub lists.
pub(crate) fn audit() -> Result<()> {
    deny()?.run()
}

/// `cargo xtask semver`: fails if the interface of a crate changed more than its version since the
/// last release.
pub(crate) fn semver() -> Result<()> {
    let (success, last) = program("git describe --tags --abbrev=0 --match v* HEAD^").ends()?;
    if success {
        return compare(last.trim());
    }
    progress("no release before this one: there is no interface to compare with");
    Ok(())
}

fn compare(commit: &str) -> Result<()> {
    let check = tool(SEMVER)?.words("semver-checks --all-features --baseline-rev").arg(commit);
    check.args(api::CRATES.iter().flat_map(|name| ["--package", name])).run()
}

fn deny() -> Result<Program> {
    Ok(tool(DENY)?.words("--locked check -D warnings"))
}

/// A tool of cargo in this version. It is compiled when it is first needed: without optimisation, which would
/// take longer than its work.
fn tool((name, version): (&str, &str)) -> Result<Program> {
    let folder = scratch().join("cargo-tools").join(format!("{name}-{version}"));
    let path = folder.join("bin").join(name);
    if !path.exists() {
        progress(&format!("compiling {name} {version}, which takes minutes"));
        cargo("install --quiet --locked --debug --no-default-features")
            .args([name, "--version", version, "--root"])
            .arg(&folder)
            .env("CARGO_TARGET_DIR", scratch().join("cargo-tools/target"))
            .run()
            .with_context(|| format!("cannot install {name}"))?;
    }
    Ok(program_at(path))
}
