//! JavaScript: the npm tarball, installed in a clean project.

mod hosts;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::crates::linted;
use crate::fresh;
use crate::languages::language::Platforms;
use crate::report::{Report, Runner};
use crate::shell::{WASM, cargo, command, copy_files, progress, root, run, scratch, stdout};

pub(crate) use hosts::{fleet, queue, test as hosts};

const INPUTS: [&str; 5] =
    ["core", "bindings-wasm", "Cargo.toml", "Cargo.lock", "rust-toolchain.toml"];

/// Pins what `test_more` runs the package on.
const TOOLS: &str = "bindings-wasm/tests/everywhere/package-lock.json";

/// The project has these packages as well: the programs of docs/migrating.md compare with them.
const MANIFEST: &str = r#"{
  "private": true,
  "devDependencies": { "exponential-backoff": "3.1.3", "p-retry": "7.1.1" }
}
"#;

fn folder() -> PathBuf {
    root().join("bindings-wasm")
}

/// npm in the folder of the package.
fn npm() -> Command {
    let mut npm = command("npm");
    npm.current_dir(folder()).env("CARGO_TARGET_DIR", target());
    npm
}

/// Where cargo builds the modules. Nothing else is built like them, so they need not wait for the other
/// builds.
fn target() -> PathBuf {
    scratch().join("wasm-target")
}

/// The tarball that npm would publish.
pub(crate) fn tarball() -> Result<PathBuf> {
    let packed = scratch().join("npm");
    fresh::unless_fresh(&packed, &INPUTS, || {
        progress("building the npm package");
        run(npm().args(["ci", "--no-audit", "--no-fund"]))?;
        run(npm().args(["run", "build"]))?;
        let _ = fs::remove_dir_all(&packed);
        fs::create_dir_all(&packed)?;
        run(npm().args(["pack", "./dist/package", "--pack-destination"]).arg(&packed))
    })?;
    let mut files = fs::read_dir(&packed)?.filter_map(|entry| Some(entry.ok()?.path()));
    files
        .find(|path| path.extension().is_some_and(|end| end == "tgz"))
        .context("no tarball was packed")
}

/// A clean project that has the tarball installed.
fn project() -> Result<PathBuf> {
    let tarball = tarball()?;
    let project = scratch().join("npm-project");
    fresh::unless_fresh(&project, &INPUTS, || {
        let _ = fs::remove_dir_all(&project);
        fs::create_dir_all(&project)?;
        fs::write(project.join("package.json"), MANIFEST)?;
        run(command("npm")
            .args(["install", "--no-audit", "--no-fund"])
            .arg(&tarball)
            .current_dir(&project))
    })?;
    Ok(project)
}

/// Node.js on a program of the package, copied to where it finds the installed package.
fn program(place: &str, name: &str) -> Result<Command> {
    let project = project()?;
    let program = project.join(name);
    fs::copy(folder().join(place).join(name), &program)?;
    let mut node = command("node");
    node.arg(program).current_dir(project);
    Ok(node)
}

/// The harness of benchmarks, over the installed tarball.
pub(crate) fn bench() -> Result<Command> {
    let (tarball, folder) = (tarball()?, scratch().join("bench-js"));
    let inputs: Vec<&str> = INPUTS.into_iter().chain(["bench/js"]).collect();
    fresh::unless_fresh(&folder, &inputs, || {
        progress("installing what JavaScript is measured beside");
        copy_files("bench/js", &folder)?;
        let npm = |arguments: &[&str]| {
            let mut npm = command("npm");
            npm.args(arguments).args(["--no-audit", "--no-fund"]).current_dir(&folder);
            npm
        };
        run(&mut npm(&["ci"]))?;
        run(npm(&["install", "--no-save"]).arg(&tarball))
    })?;
    let mut node = command("node");
    node.arg("main.mjs").current_dir(folder);
    Ok(node)
}

pub(crate) fn evaluator() -> Result<Command> {
    program("tests", "evaluate.mjs")
}

pub(crate) fn client() -> Result<Command> {
    program("examples", "http.mjs")
}

/// The output of a user's module over the installed package.
pub(crate) fn snippet(code: &str) -> Result<String> {
    let project = project()?;
    fs::write(project.join("snippet.mjs"), code)?;
    stdout(command("node").arg("snippet.mjs").current_dir(project))
}

/// Lints, and runs the package's own tests on the tarball.
pub(crate) fn test(report: &mut Report) {
    report.check("biome", || {
        tarball()?;
        run(npm().args(["run", "lint"]))?;
        run(npm()
            .args(["exec", "--", "biome", "ci", "--error-on-warnings", "--config-path=."])
            .arg("../bench/js"))
    });
    report.command(
        "clippy: the WebAssembly crates on their own target",
        cargo()
            .args(["clippy", "--locked", "--quiet", "--target", WASM, "--profile", "wasm"])
            .args(["--package", "bindings-wasm", "--package", "bindings-wasm-delay"])
            .args(["--", "-D", "warnings"])
            .env("CARGO_TARGET_DIR", target()),
    );
    report.check("clippy: what runs wasm-bindgen", || {
        run(linted("build", &["bindings-wasm-glue"])?.env("CARGO_TARGET_DIR", target()))
    });
    for entry in ["backoff-wasm", "backoff-wasm/js"] {
        let results = scratch().join("npm-test.xml");
        report.suite_of(&format!("npm test: {entry}"), Runner::Junit(results.clone()), || {
            let mut test = npm();
            test.args(["test", "--", "--test-reporter=junit"])
                .arg(format!("--test-reporter-destination={}", results.display()))
                .env("BACKOFF_WASM_TARBALL", tarball()?)
                .env("BACKOFF_WASM_ENTRY", entry);
            Ok(test)
        });
    }
}

pub(crate) fn packages(_: Platforms) -> Result<Vec<PathBuf>> {
    Ok(vec![tarball()?])
}

/// Runs the package in every runtime, bundler and test runner, and in Chromium.
pub(crate) fn test_more(report: &mut Report) {
    let (results, ran) = (scratch().join("npm-everywhere.xml"), scratch().join("npm-ran.jsonl"));
    report.suite_of("npm test, everywhere", Runner::Junit(results.clone()), || {
        let _ = fs::remove_file(&ran);
        let tarball = tarball()?;
        let folder = folder().join("tests/everywhere");
        let chromium = std::env::var("CHROMIUM").unwrap_or_else(|_| "/usr/bin/chromium".into());
        run(command(&chromium).arg("--version"))?;
        fresh::unless_fresh(&folder.join("node_modules"), &[TOOLS], || {
            progress("installing the runtimes, bundlers and test runners");
            // The lock file has only the programs for Linux on x86-64, which `npm ci` would refuse.
            let install = ["install", "--no-save", "--no-audit", "--no-fund"];
            run(command("npm").args(install).current_dir(&folder))
        })?;
        let mut test = command("node");
        test.current_dir(&folder)
            .args(["run.mjs", "--test-reporter=junit"])
            .arg(format!("--test-reporter-destination={}", results.display()))
            .env("BACKOFF_WASM_TARBALL", tarball)
            .env("BACKOFF_WASM_RAN", &ran)
            .env("CHROMIUM", chromium);
        Ok(test)
    });
    report.ran_on(&ran);
}
