//! What the project may depend on (`deny.toml`), and what a release may change.

use crate::api;
use crate::crates::tool;
use crate::report::Report;
use crate::shell::*;

const DENY: (&str, &str) = ("cargo-deny", "0.20.2");
const SEMVER: (&str, &str) = ("cargo-semver-checks", "0.51.0");
const LEAST: &str = "--no-default-features";

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

/// The tag of the last release, if there is one.
pub(crate) fn last_release() -> Result<Option<String>> {
    let (success, last) = program("git describe --tags --abbrev=0 --match v* HEAD^").ends()?;
    Ok(success.then(|| last.trim().to_owned()))
}

/// `cargo xtask semver`: fails if the interface of a crate changed more than its version since the
/// last release.
pub(crate) fn semver() -> Result<()> {
    if let Some(last) = last_release()? {
        return compare(&last);
    }
    progress("no release before this one: there is no interface to compare with");
    Ok(())
}

fn compare(commit: &str) -> Result<()> {
    let check =
        tool(SEMVER, LEAST)?.words("semver-checks --all-features --baseline-rev").arg(commit);
    check.args(api::CRATES.iter().flat_map(|name| ["--package", name])).run()
}

fn deny() -> Result<Program> {
    Ok(tool(DENY, LEAST)?.words("--locked check -D warnings"))
}
