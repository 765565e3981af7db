//! The configurations that `backoff export` prints, checked with the schemas, the parsers and the
//! formulas of their engines.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::fresh;
use crate::program;
use crate::report::Report;
use crate::shell::{command, empty, run, scratch, stdout};
use crate::venv;

const TESTS: &str = "tools/export/tests/engines";
const REQUIREMENTS: &str = "tools/export/tests/engines/requirements.txt";
/// The module with the schemas of Istio's resources.
const ISTIO: &str = "istio.io/api@v1.31.4";
/// The validator of the Amazon States Language.
const ASL_VALIDATOR: &str = "asl-validator@4.0.0";
/// This file has these versions.
const THIS: &str = "xtask/src/engines.rs";

pub(crate) fn test(report: &mut Report) {
    report.pytest(&format!("pytest {TESTS}"), || {
        let mut pytest =
            command(venv::with("engines-python", REQUIREMENTS, &[])?.join("bin/pytest"));
        pytest.arg(TESTS).env("BACKOFF", program::binary()?);
        pytest.env("ISTIO_API", istio()?).env("ASL_VALIDATOR", asl_validator()?);
        Ok(pytest)
    });
}

/// A project with the validator.
fn asl_validator() -> Result<PathBuf> {
    let folder = scratch().join("engines-npm");
    fresh::unless_fresh(&folder, &[THIS], || {
        empty(&folder)?;
        fs::write(folder.join("package.json"), "{\"private\": true}\n")?;
        let install = ["install", "--silent", "--no-audit", "--no-fund", ASL_VALIDATOR];
        run(command("npm").args(install).current_dir(&folder))
    })?;
    Ok(folder)
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Module {
    dir: PathBuf,
}

/// The folder of the module, in the cache of Go.
fn istio() -> Result<PathBuf> {
    let mut go = command("go");
    // The top folder is in no module.
    let module = stdout(go.args(["mod", "download", "-json", ISTIO]))?;
    let module: Module = serde_json::from_str(&module).context("go mod download")?;
    Ok(module.dir)
}
