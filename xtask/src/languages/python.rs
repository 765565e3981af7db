//! Python: the wheel, installed in a clean virtual environment.

mod bench;
mod hosts;
mod platforms;
mod wheels;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::fresh;
use crate::report::{Report, Runner};
use crate::shell::{command, progress, root, run, scratch, stdout};
use crate::venv;
use wheels::{holds_no_path, sdist};

pub(crate) use bench::bench;
pub(crate) use hosts::{fleet, queues, test as hosts};
pub(crate) use platforms::test as test_more;
pub(crate) use wheels::{packages, wheel};

/// The requirements of the examples.
const EXAMPLES: &str = "examples/requirements.txt";
/// The requirements of the shared tests, and the project whose group `dev` has those of the package.
const REQUIREMENTS: [&str; 2] = ["tests/requirements.txt", PROJECT];
const PROJECT: &str = "bindings-python/pyproject.toml";
const INPUTS: [&str; 7] = [
    "core",
    "export",
    "bindings-python",
    "xtask",
    "Cargo.toml",
    "Cargo.lock",
    "rust-toolchain.toml",
];

/// A virtual environment with the linters, the test runners and what the examples need, without the
/// package.
pub(crate) fn tools() -> Result<PathBuf> {
    let folder = scratch().join("python-tools");
    let [tests, package] = REQUIREMENTS;
    fresh::unless_fresh(&folder, &[tests, package, EXAMPLES], || {
        progress("installing the tools for Python");
        venv::create(&folder)?;
        install_requirements(&folder)?;
        run(venv::install(&folder).args(["-r", EXAMPLES]))
    })?;
    Ok(folder)
}

/// A program of these tools.
pub(crate) fn tool(name: &str) -> Result<Command> {
    Ok(command(tools()?.join("bin").join(name)))
}

/// A clean virtual environment with the wheel and the test runners.
fn installed() -> Result<PathBuf> {
    let wheel = wheel()?;
    let folder = scratch().join("python");
    let inputs: Vec<&str> = REQUIREMENTS.into_iter().chain(INPUTS).collect();
    fresh::unless_fresh(&folder, &inputs, || {
        progress("installing the wheel");
        venv::create(&folder)?;
        install_requirements(&folder)?;
        run(venv::install(&folder).args(["--force-reinstall", "--no-deps"]).arg(&wheel))
    })?;
    Ok(folder)
}

fn install_requirements(environment: &Path) -> Result<()> {
    // The first pip that knows --group; a new environment may have an older one.
    run(venv::install(environment).args(["--upgrade", "pip>=25.1"]))?;
    let group = format!("{PROJECT}:dev");
    run(venv::install(environment).args(["-r", REQUIREMENTS[0], "--group"]).arg(group))
}

/// The interpreter of the environment, away from the source tree.
fn python() -> Result<Command> {
    let mut python = command(installed()?.join("bin/python"));
    python.current_dir(scratch());
    Ok(python)
}

/// The driver.
pub(crate) fn driver() -> Result<Command> {
    program("driver.py")
}

/// The evaluator.
pub(crate) fn evaluator() -> Result<Command> {
    program("evaluate.py")
}

/// The HTTP example of the README, with httpx.
pub(crate) fn client() -> Result<Command> {
    program("../examples/http_httpx.py")
}

/// The same with requests.
fn client_requests() -> Result<Command> {
    program("../examples/http_requests.py")
}

fn program(name: &str) -> Result<Command> {
    let mut python = python()?;
    python.arg(root().join("bindings-python/tests").join(name));
    Ok(python)
}

/// A user's program over the installed wheel.
pub(crate) fn snippet(code: &str) -> Result<String> {
    stdout(python()?.args(["-c", code]))
}

/// Lints, and tests through the installed wheel.
pub(crate) fn test(report: &mut Report) {
    for (what, arguments) in
        [("ruff check", &["check"][..]), ("ruff format", &["format", "--check"])]
    {
        report.check(&format!("{what}: the package"), || {
            run(command(tools()?.join("bin/ruff")).args(arguments).arg("bindings-python"))
        });
    }
    report.check("the wheel names no folder of this machine", || holds_no_path(&wheel()?));
    for (name, client) in
        [("httpx", client as fn() -> Result<Command>), ("requests", client_requests)]
    {
        report.check(&format!("the example with {name} waits what the core says"), || {
            scenario::check(name, client()?)
        });
    }
    let results = scratch().join("python-results.xml");
    report.suite_of("pytest", Runner::Junit(results.clone()), || {
        let mut python = python()?;
        python.args(["-m", "pytest", "-q", "--junitxml"]).arg(results);
        python.arg(root().join("bindings-python/tests"));
        python.env("BACKOFF_WHEEL", wheel()?).env("BACKOFF_SDIST", sdist()?);
        Ok(python)
    });
}
