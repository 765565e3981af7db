//! Python: the wheel, installed in a clean virtual environment.

mod hosts;
mod platforms;
mod tools;
mod wheels;

use std::process::Command;

use anyhow::Result;

use crate::fresh;
use crate::report::Report;
use crate::servers;
use crate::shell::{command, copy_files, progress, root, run, scratch, stdout};
use crate::venv;
use wheels::{holds_no_path, installed, sdist, wheel};

pub(crate) use hosts::{fleet, queue, test as hosts};
use tools::INPUTS;
pub(crate) use tools::{tool, tools};
pub(crate) use wheels::{packages, published};

/// The interpreter of the environment, away from the source tree.
fn python() -> Result<Command> {
    let mut python = command(installed()?.join("bin/python"));
    python.current_dir(scratch());
    Ok(python)
}

/// The harness of benchmarks, over the wheel that is published.
pub(crate) fn bench() -> Result<Command> {
    let wheel = published()?;
    let (environment, programs) =
        (scratch().join("bench-python"), scratch().join("bench-python-src"));
    let inputs: Vec<&str> = INPUTS.into_iter().chain(["bench/python"]).collect();
    fresh::unless_fresh(&environment, &inputs, || {
        progress("installing what Python is measured beside");
        copy_files("bench/python", &programs)?;
        venv::create(&environment)?;
        run(venv::install(&environment)?.arg("-r").arg(programs.join("requirements.txt")))?;
        run(venv::install(&environment)?.args(["--force-reinstall", "--no-deps"]).arg(&wheel))?;
        run(command(environment.join("bin/python")).arg(programs.join("build_floor.py")))
    })?;
    let mut python = command(environment.join("bin/python"));
    python.arg(programs.join("main.py"));
    Ok(python)
}

pub(crate) fn evaluator() -> Result<Command> {
    program("evaluate.py")
}

/// The HTTP example, with httpx.
pub(crate) fn client() -> Result<Command> {
    program("../examples/http_httpx.py")
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

/// Tests that take longer: one compiles the sdist, the others check types with more tools than mypy.
const LONG: [&str; 4] = [
    "tests/test_packaging.py::test_the_sdist_needs_only_rust",
    "tests/test_types.py::test_stubs_match_the_extension",
    "tests/test_types.py::test_the_types_are_complete",
    "tests/test_types.py::test_pyright",
];

/// Runs tests of the package through the installed wheel.
fn pytest(report: &mut Report, what: &str, options: impl FnOnce(&mut Command)) {
    report.pytest(what, || {
        let mut pytest = python()?;
        pytest.args(["-m", "pytest"]);
        options(&mut pytest);
        pytest.env("BACKOFF_WHEEL", wheel()?).env("BACKOFF_SDIST", sdist()?);
        Ok(pytest)
    });
}

pub(crate) fn test_more(report: &mut Report) {
    pytest(report, "pytest: the sdist, and the types with more tools", |pytest| {
        pytest.args(LONG.map(|test| root().join("bindings-python").join(test)));
    });
    platforms::test(report);
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
    report.check("clippy: the extension, and the wheel", || wheel().map(drop));
    report.check("the wheel names no folder of this machine", || holds_no_path(&wheel()?));
    report.check("the example with httpx waits what the core says", || {
        servers::clients_agree(&[("httpx".to_owned(), client()?)])
    });
    pytest(report, "pytest", |pytest| {
        pytest.arg(root().join("bindings-python/tests"));
        pytest.args(LONG.iter().flat_map(|test| ["--deselect", test]));
    });
}
