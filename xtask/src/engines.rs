//! The configurations that `backoff export` prints, checked with the schemas, the parsers and the
//! formulas of their engines.

use crate::fresh;
use crate::program::binary;
use crate::report::Report;
use crate::shell::*;
use crate::venv;

const TESTS: &str = "tools/export/tests/engines";
const REQUIREMENTS: &str = "tools/export/tests/engines/requirements.txt";

pub(crate) fn test(report: &mut Report) {
    report.pytest(&format!("pytest {TESTS}"), || {
        let pytest = venv::with("engines-python", REQUIREMENTS, &[])?.join("bin/pytest");
        let this = &["xtask/src/engines.rs"];
        let validator = fresh::built(scratch().join("engines-npm"), this, |folder| {
            write(folder.join("package.json"), "{\"private\": true}\n")?;
            let npm = program("npm install --silent --no-audit --no-fund asl-validator@4.0.0");
            npm.within(folder).run()
        })?;
        // The schemas of Istio's resources, in the cache of Go. The top folder is in no module.
        let module = program("go mod download -json istio.io/api@v1.31.4").stdout()?;
        let module: serde_json::Value = serde_json::from_str(&module)?;
        let schemas = module["Dir"].as_str().context("go mod download names no folder")?;
        let pytest = program_at(pytest).arg(TESTS).env("BACKOFF", binary()?);
        Ok(pytest.env("ISTIO_API", schemas).env("ASL_VALIDATOR", validator))
    });
}
