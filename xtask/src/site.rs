//! `cargo xtask site`: all pages of the project, the playground and the references of the languages as one static site.

use crate::report::Report;
use crate::shell::*;
use crate::{api, playground, venv};

/// Reads the package of Python.
const GRIFFE: &str = "griffe==2.4.1";

/// The packages of Go that have a page, and a folder of packages.
const OF_GO: [&str; 4] = ["", "backoffhttp", "sharedbudget", "cenkalti"];
const ADAPTERS_OF_GO: &str = "bindings-go/adapters";

/// How much of the site is built.
#[derive(Clone, Copy, PartialEq)]
enum Extent {
    /// The pages that the project has as Markdown, without colours in programs.
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
    if is_served { node("serve.mjs").arg(folder).arg("8080").arg(base).show() } else { Ok(()) }
}

/// A program of `site/`, which has its tools.
fn node(line: &str) -> Program {
    program("node").words(line).within(root().join("site"))
}

/// Builds the site into a folder, for a server that has it at this path.
fn build(folder: &Path, base: &str, extent: Extent) -> Result<()> {
    playground::tools()?;
    let place = scratch().join("site");
    let (source, references) = (place.join("source"), place.join("references"));
    let site = |line: &str| {
        let site = node(line).env("BACKOFF_SITE_SOURCE", &source);
        let site = site.env("BACKOFF_SITE_OUT", folder).env("BACKOFF_SITE_BASE", base);
        match extent {
            Extent::Pages => site.env("BACKOFF_SITE_PLAIN", "1"),
            Extent::All => site.env("BACKOFF_SITE_REFERENCES", &references),
        }
    };
    if extent == Extent::All {
        write_references(&references)?;
    }
    progress("building the pages of the site");
    site("source/write.mjs").arg(&source).run()?;
    site("node_modules/vitepress/bin/vitepress.js build .").run()?;
    if extent == Extent::All {
        copy_all(&playground::build()?, &folder.join("playground"))?;
        progress("building the references of the crates");
        node("references/rust.mjs").arg(api::pages()?).arg(folder.join("api/rust")).run()?;
    }
    Ok(())
}

/// Writes the references that are pages of the site: a folder of Markdown for each language.
fn write_references(folder: &Path) -> Result<()> {
    progress("building the references of the languages");
    empty(folder)?;
    node("references/c.mjs").arg(folder.join("c/header.md")).run()?;
    node("references/javascript.mjs").arg(folder.join("javascript")).run()?;
    let griffe = venv::with("griffe", "xtask/src/site.rs", &[GRIFFE])?.join("bin/python");
    program_at(griffe).arg("site/references/python.py").arg(folder.join("python")).run()?;
    fs::create_dir_all(folder.join("go"))?;
    let packages = OF_GO.iter().map(|name| root().join("bindings-go").join(name));
    let adapters = entries(&root().join(ADAPTERS_OF_GO))?;
    let go = program("go run site/references/go/main.go").arg(folder.join("go"));
    go.args(packages.chain(adapters.into_iter().filter(|path| path.is_dir()))).run()
}

fn copy_all(from: &Path, to: &Path) -> Result<()> {
    for path in files_below(from)? {
        copy(&path, &to.join(path.strip_prefix(from)?))?;
    }
    Ok(())
}

fn tested() -> PathBuf {
    scratch().join("site/tested")
}

fn suite(name: &str) -> Program {
    let test = node("--test --test-reporter=junit").arg(format!("tests/{name}.test.mjs"));
    test.env("BACKOFF_SITE", tested())
}

/// Tests that every page is on the site and that no link of them is dead.
pub(crate) fn test(report: &mut Report) {
    report.check("the pages of the site", || build(&tested(), "/", Extent::Pages));
    let links = || Ok(suite("links").env("BACKOFF_SITE_PAGES_ONLY", "1"));
    report.suite("the links of the pages of the site", links);
}

/// Tests the whole site, and each of its pages in Chromium, in the tests of a release.
pub(crate) fn test_all(report: &mut Report) {
    if !report.is_all {
        return;
    }
    report.check("the site", || build(&tested(), "/", Extent::All));
    report.suite("the links of the site", || Ok(suite("links")));
    let browser = || Ok(suite("browser").env("CHROMIUM", chromium()?));
    report.suite("the pages of the site in Chromium", browser);
}
