//! The playground of the site: its build, and its tests in Chromium.

use crate::crates::lint;
use crate::fresh::built;
use crate::program as command;
use crate::report::Report;
use crate::shell::*;

/// What the page is made of.
const INPUTS: [&str; 12] = [
    "Cargo.lock",
    "Cargo.toml",
    "README.md",
    "core/src",
    "docs/programs.md",
    "site/engine/src",
    "site/package-lock.json",
    "site/playground/build.mjs",
    "site/playground/index.html",
    "site/playground/src",
    "site/playground/style.css",
    "tools",
];

/// Installs what builds the site and its playground.
pub(crate) fn tools() -> Result<()> {
    let folder = root().join("site/node_modules");
    built(folder, &["site/package-lock.json"], |_| {
        progress("installing what builds the site");
        program("npm ci --no-audit --no-fund").within(root().join("site")).run()
    })?;
    Ok(())
}

/// Builds the page. Returns its folder.
pub(crate) fn build() -> Result<PathBuf> {
    tools()?;
    built(scratch().join("playground"), &INPUTS, |folder| {
        progress("building the playground");
        let build = program("node playground/build.mjs").within(root().join("site"));
        lint(build.arg(folder).env("CARGO_TARGET_DIR", target()))?.run()
    })
}

/// Tests the page in Chromium, beside the command.
pub(crate) fn test(report: &mut Report) {
    report.suite("the playground in Chromium", || {
        let test =
            program("node --test --test-reporter=junit playground/tests/playground.test.mjs")
                .within(root().join("site"))
                .env("BACKOFF_PLAYGROUND", build()?)
                .env("BACKOFF_COMMAND", command::binary()?);
        Ok(test.env("CHROMIUM", chromium()?))
    });
}
