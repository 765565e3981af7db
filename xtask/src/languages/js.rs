//! JavaScript: the npm tarball, installed in a clean project, and its adapters on what they adapt.

use crate::crates::linted;
use crate::fresh::built;
use crate::languages::Platforms;
use crate::report::Report;
use crate::servers::with_servers;
use crate::shell::*;

const INPUTS: [&str; 6] = [
    "core",
    "bindings-wasm",
    "docs/migrating-javascript.md",
    "Cargo.toml",
    "Cargo.lock",
    "rust-toolchain.toml",
];

/// Pins what the package runs on in the tests of a release.
const TOOLS: &str = "bindings-wasm/tests/everywhere/package-lock.json";

/// The project has these packages as well: the programs of docs/migrating-javascript.md compare with them.
const MANIFEST: &str = r#"{
  "private": true,
  "devDependencies": {
    "async-retry": "1.3.3", "axios": "1.21.1", "axios-retry": "4.5.0", "cockatiel": "3.2.1",
    "exponential-backoff": "3.1.3", "got": "14.6.6", "ky": "1.14.3", "p-retry": "7.1.1"
  }
}
"#;

fn in_package(line: &str) -> Program {
    let program = program(line).within(root().join("bindings-wasm"));
    program.env("CARGO_TARGET_DIR", target_of_modules())
}

/// Where cargo builds the modules. Nothing else is built like them, so they need not wait for the other
/// builds.
fn target_of_modules() -> PathBuf {
    scratch().join("wasm-target")
}

pub(crate) fn tarball() -> Result<PathBuf> {
    only_file(&built(scratch().join("npm"), &INPUTS, |packed| {
        progress("building the npm package");
        in_package("npm ci --no-audit --no-fund").run()?;
        in_package("npm run build").run()?;
        in_package("npm pack ./dist/package --pack-destination").arg(packed).run()
    })?)
}

fn project() -> Result<PathBuf> {
    let tarball = tarball()?;
    built(scratch().join("npm-project"), &INPUTS, |project| {
        write(project.join("package.json"), MANIFEST)?;
        program("npm install --no-audit --no-fund").arg(&tarball).within(project).run()
    })
}

/// Node.js on a program of the package, copied to where it finds the installed package.
fn node(place: &str, name: &str) -> Result<Program> {
    let project = project()?;
    copy(Path::new("bindings-wasm").join(place).join(name), &project.join(name))?;
    Ok(program("node").arg(name).within(project))
}

pub(crate) fn bench() -> Result<Program> {
    let (tarball, inputs) = (tarball()?, [&INPUTS[..], &["bench/js"]].concat());
    let folder = built(scratch().join("bench-js"), &inputs, |folder| {
        progress("installing what JavaScript is measured beside");
        copy_files("bench/js", folder)?;
        program("npm ci --no-audit --no-fund").within(folder).run()?;
        let install = program("npm install --no-save --no-audit --no-fund");
        install.arg(&tarball).within(folder).run()
    })?;
    Ok(program("node main.mjs").within(folder))
}

pub(crate) fn evaluator() -> Result<Program> {
    node("tests", "evaluate.mjs")
}

/// The evaluator over the core in plain JavaScript.
pub(crate) fn plain_evaluator() -> Result<Program> {
    let project = project()?;
    let code = read(Path::new("bindings-wasm/tests/evaluate.mjs"))?;
    write(
        project.join("evaluate-js.mjs"),
        code.replace("\"backoff-wasm\"", "\"backoff-wasm/js\""),
    )?;
    Ok(program("node evaluate-js.mjs").within(project))
}

pub(crate) fn client() -> Result<Program> {
    node("examples", "http.mjs")
}

pub(crate) fn snippet(code: &str) -> Result<String> {
    let project = project()?;
    write(project.join("snippet.mjs"), code)?;
    program("node snippet.mjs").within(project).stdout()
}

pub(crate) fn packages(_: Platforms) -> Result<Vec<PathBuf>> {
    Ok(vec![tarball()?])
}

/// Lints, and runs the package's own tests on the tarball; in the tests of a release in every runtime, bundler and
/// test runner, and in Chromium.
pub(crate) fn test(report: &mut Report) {
    report.check("biome", || {
        tarball()?;
        in_package("npm run lint").run()?;
        let biome = "npm exec -- biome ci --error-on-warnings --config-path=. ../bench/js \
                     ../site/source ../site/tests ../site/references ../site/serve.mjs \
                     ../site/playground/build.mjs ../site/playground/src ../site/playground/tests";
        in_package(biome).run()
    });
    report.check("clippy: the WebAssembly crates on their own target", || {
        let clippy = "clippy --locked --quiet --target wasm32-unknown-unknown --profile wasm \
                      --package bindings-wasm -- -D warnings";
        cargo(clippy).env("CARGO_TARGET_DIR", target_of_modules()).run()
    });
    report.check("clippy: what runs wasm-bindgen", || {
        let build = linted("build --package bindings-wasm-glue")?;
        build.env("CARGO_TARGET_DIR", target_of_modules()).run()
    });
    // How many random requests both entries answer.
    let requests = if report.is_all { "1000000" } else { "6000" };
    for entry in ["backoff-wasm", "backoff-wasm/js"] {
        report.suite(&format!("npm test: {entry}"), || {
            let test = in_package("npm test -- --test-reporter=junit");
            let test = test.env("BACKOFF_WASM_REQUESTS", requests);
            Ok(test.env("BACKOFF_WASM_TARBALL", tarball()?).env("BACKOFF_WASM_ENTRY", entry))
        });
    }
    if report.is_all {
        report.suite("npm test, everywhere", everywhere);
    }
}

fn everywhere() -> Result<Program> {
    let tarball = tarball()?;
    let folder = root().join("bindings-wasm/tests/everywhere");
    let chromium = chromium()?;
    built(folder.join("node_modules"), &[TOOLS], |_| {
        progress("installing the runtimes, bundlers and test runners");
        // The lock file has only the programs for Linux on x86-64, which `npm ci` would refuse.
        program("npm install --no-save --no-audit --no-fund").within(&folder).run()
    })?;
    let test = program("node run.mjs --test-reporter=junit").within(folder);
    Ok(test.env("BACKOFF_WASM_TARBALL", tarball).env("CHROMIUM", chromium))
}

/// Tests the adapters on the newest versions of their hosts, and in the tests of a release also on the
/// oldest ones that they support.
pub(crate) fn hosts(report: &mut Report) {
    let versions = if report.is_all { &["newest", "oldest"][..] } else { &["newest"] };
    for version in versions {
        let what = format!("the adapters of JavaScript, {version} hosts");
        report.suite(&what, || with_servers(on(version)?.arg("--test-reporter=junit")));
    }
}

/// The program that runs tests, or others, beside the hosts in these versions.
fn on(version: &str) -> Result<Program> {
    let (tarball, hosts) = (tarball()?, scratch().join(format!("npm-hosts-{version}")));
    let run_mjs = |option: &str| {
        let run = in_package("node tests/hosts/run.mjs").args([version, option]);
        run.env("BACKOFF_WASM_TARBALL", &tarball).env("BACKOFF_WASM_HOSTS", &hosts)
    };
    // Several parts of the tests use them at once. It keeps hosts that are still the same.
    let inputs =
        [&INPUTS[..], &["bindings-wasm/tests/hosts", "bindings-wasm/tests/queues"]].concat();
    built(hosts.with_added_extension("mark"), &inputs, |_| run_mjs("--install").run())?;
    Ok(run_mjs("--installed"))
}

pub(crate) fn fleet() -> Result<Program> {
    queue("fleet.mjs")
}

/// The client of `tests/hostile`.
pub(crate) fn hostile_client() -> Result<Program> {
    queue("hostile-client.mjs")
}

/// A program of `tests/queues` or `tests/hosts` on the newest hosts.
pub(crate) fn queue(name: &str) -> Result<Program> {
    let printed = on("newest")?.words("--program -p process.execPath").stdout()?;
    let node = program_at(printed.lines().last().context("no Node.js")?).arg(name);
    Ok(node.within(scratch().join("npm-hosts-newest")))
}
