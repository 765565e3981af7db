//! JavaScript: the npm tarball, installed in a clean project.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, anyhow};
use wasm_bindgen_cli_support::Bindgen;

use crate::fresh;
use crate::report::{Report, Runner};
use crate::shell::{
    WASM, cargo, command, progress, root, run, scratch, stdout, target, wasm_target,
};

const INPUTS: [&str; 6] =
    ["core", "bindings-wasm", "xtask", "Cargo.toml", "Cargo.lock", "rust-toolchain.toml"];
/// Beside the package: what users come from, for the programs of docs/migrating.md.
const MANIFEST: &str = r#"{
  "private": true,
  "devDependencies": { "exponential-backoff": "3.1.3", "p-retry": "7.1.1" }
}
"#;

fn folder() -> PathBuf {
    root().join("bindings-wasm")
}

fn npm() -> Command {
    let mut npm = command("npm");
    npm.current_dir(folder());
    npm
}

/// Builds the WebAssembly module and its glue into `dist/pkg`.
fn module() -> Result<()> {
    wasm_target()?;
    progress("building the WebAssembly module");
    run(cargo()
        .args(["build", "--locked", "--profile", "wasm", "--target", WASM])
        .args(["--package", "bindings-wasm"]))?;
    let module = target().join(WASM).join("wasm/backoff_wasm.wasm");
    let glue = || -> Result<(), _> {
        Bindgen::new()
            .input_path(module)
            .web(true)?
            .omit_default_module_path(true)
            .typescript(false)
            .out_name("backoff")
            .generate(folder().join("dist/pkg"))
    };
    glue().map_err(|error| anyhow!("wasm-bindgen: {error:#}"))
}

/// The tarball that npm would publish.
pub(crate) fn tarball() -> Result<PathBuf> {
    let packed = scratch().join("npm");
    fresh::unless_fresh(&packed, &INPUTS, || {
        module()?;
        progress("building the npm package");
        run(npm().args(["ci", "--no-audit", "--no-fund"]))?;
        run(npm().args(["run", "build"]))?;
        let _ = fs::remove_dir_all(&packed);
        fs::create_dir_all(&packed)?;
        run(npm().args(["pack", "--pack-destination"]).arg(&packed))
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

/// Node.js in the project.
fn node() -> Result<Command> {
    let mut node = command("node");
    let project = project()?;
    node.env("BACKOFF_WASM_PROJECT", &project).current_dir(project);
    Ok(node)
}

/// A program, copied to where it finds the installed package.
fn program(place: &str, name: &str) -> Result<Command> {
    let program = project()?.join(name);
    fs::copy(folder().join(place).join(name), &program)?;
    let mut node = node()?;
    node.arg(program);
    Ok(node)
}

/// The driver over the installed package.
pub(crate) fn driver() -> Result<Command> {
    program("tests", "driver.mjs")
}

/// The evaluator over the installed package.
pub(crate) fn evaluator() -> Result<Command> {
    program("tests", "evaluate.mjs")
}

/// The HTTP example over the installed package.
pub(crate) fn client() -> Result<Command> {
    program("examples", "http.mjs")
}

/// A user's module over the installed package.
pub(crate) fn snippet(code: &str) -> Result<String> {
    fs::write(project()?.join("snippet.mjs"), code)?;
    stdout(node()?.arg("snippet.mjs"))
}

/// Lints, and tests through the installed package.
pub(crate) fn test(report: &mut Report) {
    report.check("biome", || {
        tarball()?;
        run(npm().args(["run", "lint"]))
    });
    report.command(
        "clippy: the WebAssembly crate on its own target",
        cargo()
            .args(["clippy", "--locked", "--quiet", "--target", WASM, "--profile", "wasm"])
            .args(["--package", "bindings-wasm", "--", "-D", "warnings"]),
    );
    let results = scratch().join("js-results.xml");
    report.suite_of("node --test", Runner::Junit(results.clone()), || {
        let mut node = node()?;
        node.args(["--test", "--test-reporter=spec", "--test-reporter-destination=stdout"]);
        node.arg("--test-reporter=junit");
        node.arg(format!("--test-reporter-destination={}", results.display()));
        node.env("BACKOFF_WASM_TARBALL", tarball()?);
        let entries = fs::read_dir(folder().join("tests"))?;
        let mut tests: Vec<PathBuf> =
            entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        tests.retain(|path| path.to_string_lossy().ends_with(".test.mjs"));
        tests.sort();
        node.args(tests).current_dir(folder());
        Ok(node)
    });
}
