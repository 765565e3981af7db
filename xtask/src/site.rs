//! `cargo xtask site`: all pages of the project, the playground and the references of the languages as one static site.

use crate::fresh::built;
use crate::report::Report;
use crate::shell::*;

const LOCK: &str = "site/package-lock.json";

/// How much of the site is built.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Extent {
    /// The pages that the project has as Markdown.
    Pages,
    /// Also the playground and the references of the languages.
    All,
}

/// `cargo xtask site [--base PATH] [--serve]`.
pub(crate) fn run(options: &[&str]) -> Result<()> {
    let (base, options) = match options {
        ["--base", base, rest @ ..] => (*base, rest),
        _ => ("/", options),
    };
    ensure!(base.starts_with('/') && base.ends_with('/'), "a base is like /backoff/, not {base}");
    let is_served = match options {
        [] => false,
        ["--serve"] => true,
        _ => bail!("cargo xtask site [--base PATH] [--serve], not {}", options.join(" ")),
    };
    let folder = target().join("site");
    build(&folder, base, Extent::All)?;
    progress(&format!("the site is in {}", folder.display()));
    if is_served { node("serve.mjs").arg(folder).words("8080").arg(base).show() } else { Ok(()) }
}

/// A program of `site/`, which has its tools.
fn node(line: &str) -> Program {
    program("node").words(line).within(root().join("site"))
}

/// Installs what builds the site and its playground.
pub(crate) fn tools() -> Result<()> {
    let folder = root().join("site/node_modules");
    built(folder, &[LOCK], |_| {
        progress("installing what builds the site");
        program("npm ci --no-audit --no-fund").within(root().join("site")).run()
    })?;
    Ok(())
}

/// Builds the site into a folder, for a server that has it at this path.
fn build(folder: &Path, base: &str, extent: Extent) -> Result<()> {
    tools()?;
    let place = scratch().join("site");
    let source = place.join("source");
    progress("building the pages of the site");
    node("source/write.mjs").arg(&source).run()?;
    let vitepress = node("node_modules/vitepress/bin/vitepress.js build .");
    vitepress
        .env("BACKOFF_SITE_SOURCE", source)
        .env("BACKOFF_SITE_OUT", folder)
        .env("BACKOFF_SITE_BASE", base)
        .run()?;
    if extent == Extent::All {
        // Here come the playground and the references.
    }
    Ok(())
}

/// Tests that every page is on the site and that no link is dead; in the tests of a release also all pages in Chromium.
pub(crate) fn test(report: &mut Report) {
    let folder = scratch().join("site/tested");
    let extent = if report.is_all { Extent::All } else { Extent::Pages };
    report.check("the site builds", || build(&folder, "/", extent));
    report.suite("the links of the site", || {
        let test = node("--test --test-reporter=junit tests/links.test.mjs");
        let test = test.env("BACKOFF_SITE", &folder);
        Ok(if extent == Extent::Pages { test.env("BACKOFF_SITE_PAGES_ONLY", "1") } else { test })
    });
}
