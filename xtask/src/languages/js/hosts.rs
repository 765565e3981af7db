//! The adapters of JavaScript on what they adapt.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::compatibility::Ran;
use crate::fresh;
use crate::languages::js::{INPUTS, folder, tarball};
use crate::report::{Extent, Report, Runner};
use crate::servers::with_servers;
use crate::shell::{command, run, scratch, stdout};

/// What is copied beside the hosts.
const PROGRAMS: [&str; 2] = ["bindings-wasm/tests/hosts", "bindings-wasm/tests/queues"];

/// Tests the adapters on the newest versions of their hosts, and with `Extent::All` also on the
/// oldest ones that they support.
pub(crate) fn test(extent: Extent, report: &mut Report) {
    let versions: &[_] = match extent {
        Extent::Usual => &["newest"],
        Extent::All => &["newest", "oldest"],
    };
    for version in versions {
        let results = scratch().join("npm-hosts.xml");
        let what = format!("the adapters of JavaScript, {version} hosts");
        report.suite_of(&what, Runner::Junit(results.clone()), || {
            let mut test = on(version)?;
            test.arg("--test-reporter=junit")
                .arg(format!("--test-reporter-destination={}", results.display()));
            with_servers(&mut test)?;
            Ok(test)
        });
        match hosts(version) {
            Ok(rows) => report.ran(rows),
            Err(error) => report.check(&what, || Err(error)),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Manifest {
    dev_dependencies: BTreeMap<String, String>,
}

/// The hosts that a manifest pins, without what their tests need as well.
fn hosts(version: &str) -> Result<Vec<Ran>> {
    let path = folder().join("tests/hosts").join(version).join("package.json");
    let manifest: Manifest = serde_json::from_str(&fs::read_to_string(path)?)?;
    let is_host = |name: &str| !name.starts_with("node-") && !name.starts_with("@types/");
    let rows = manifest.dev_dependencies.into_iter().filter(|(name, _)| is_host(name));
    Ok(rows.map(|(name, version)| Ran::new("JavaScript", "adapters", &name, &version)).collect())
}

/// The program that runs tests, or others, beside the hosts in these versions.
fn on(version: &str) -> Result<Command> {
    let (tarball, hosts) = (tarball()?, scratch().join(format!("npm-hosts-{version}")));
    let run_mjs = |option: &str| {
        let mut node = command("node");
        node.current_dir(folder())
            .args(["tests/hosts/run.mjs", version, option])
            .env("BACKOFF_WASM_TARBALL", &tarball)
            .env("BACKOFF_WASM_HOSTS", &hosts);
        node
    };
    // Several parts of the tests use them at once.
    let inputs: Vec<&str> = INPUTS.into_iter().chain(PROGRAMS).collect();
    fresh::unless_fresh(&hosts, &inputs, || run(&mut run_mjs("--install")))?;
    Ok(run_mjs("--installed"))
}

/// A process of the fleet that shares a budget.
pub(crate) fn fleet() -> Result<Command> {
    queue("fleet.mjs")
}

/// A program of `tests/queues` on the newest hosts.
pub(crate) fn queue(name: &str) -> Result<Command> {
    let printed = stdout(on("newest")?.args(["--program", "-p", "process.execPath"]))?;
    let mut node = command(printed.lines().last().context("no Node.js")?);
    node.current_dir(scratch().join("npm-hosts-newest")).arg(name);
    Ok(node)
}
