//! The command `backoff`: one static binary, and the tests of it and of the simulator.

use std::env::consts::{ARCH, EXE_SUFFIX, OS};

use crate::archive::tar_gz;
use crate::crates::{PUBLISHED, linted};
use crate::languages::{Platforms, python};
use crate::libbackoff::Platform;
use crate::report::Report;
use crate::shell::*;
use crate::{cross, docs, fresh, licenses, venv};

/// The binary that the tests run: the one that cargo builds for the tests of the crates.
pub(crate) fn binary() -> Result<PathBuf> {
    let folder = fresh::made(programs("command"), |folder| {
        progress("building the command");
        // With an example cargo compiles the crates as it does for their tests, which use the same.
        linted(&format!("build {PUBLISHED} --bin backoff --example evaluate"))?.run()?;
        let name = format!("backoff{EXE_SUFFIX}");
        copy(target().join("debug").join(&name), &folder.join(name))
    })?;
    Ok(folder.join(format!("backoff{EXE_SUFFIX}")))
}

/// The binary for this machine as it is published. On Linux it contains its C library, so that it runs on
/// any distribution.
fn published() -> Result<PathBuf> {
    progress("building the command as it is published");
    let mut build = cargo("build --locked --release --package backoff-cli");
    let mut folder = target();
    if OS == "linux" {
        let musl = format!("{ARCH}-unknown-linux-musl");
        add_target(&musl)?;
        build = build.args(["--target", &musl]);
        folder.push(musl);
    }
    build.run()?;
    Ok(folder.join("release").join(format!("backoff{EXE_SUFFIX}")))
}

/// The platforms of the published binaries that are built on Linux, where they contain their C
/// library: Rust's name, another name, and what runs such a program here.
const PLATFORMS: [(&str, &str, &str); 3] = [
    ("x86_64-unknown-linux-musl", "linux/amd64", "env"),
    ("aarch64-unknown-linux-musl", "linux/arm64 (qemu)", "qemu-aarch64-static"),
    ("x86_64-pc-windows-gnu", "windows/amd64 (wine)", "wine"),
];

/// The files that are published: the binary for this machine, or an archive for each platform.
pub(crate) fn packages(platforms: Platforms) -> Result<Vec<PathBuf>> {
    match platforms {
        Platforms::Host => Ok(vec![published()?]),
        Platforms::Tests => Ok(vec![binary()?]),
        Platforms::All if OS == "linux" => {
            PLATFORMS.iter().map(|(platform, ..)| Ok(packed(platform)?.1)).collect()
        }
        Platforms::All => Ok(vec![packed(Platform::host()?.triple())?.1]),
    }
}

/// The binary for a platform, and an archive of it with its page and the licenses.
fn packed(platform: &str) -> Result<(PathBuf, PathBuf)> {
    progress(&format!("building the command for {platform}"));
    let build = match OS {
        "linux" => cross::zigbuild(platform)?,
        _ => cargo("build --target").arg(platform),
    };
    build.words("--locked --release --package backoff-cli").run()?;
    let name = format!("backoff-{}-{platform}", env!("CARGO_PKG_VERSION"));
    let folder = scratch().join("command").join(&name);
    empty(&folder)?;
    let binary = if platform.contains("windows") { "backoff.exe" } else { "backoff" };
    copy(target().join(platform).join("release").join(binary), &folder.join(binary))?;
    for file in ["README.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        copy(Path::new("tools/cli").join(file), &folder.join(file))?;
    }
    let licenses = licenses::contents("licenses", ["backoff-cli", platform]).stdout()?;
    write(folder.join(licenses::FILE), licenses)?;
    let archive = folder.with_added_extension("tar.gz");
    tar_gz(&folder, &archive)?;
    Ok((folder.join(binary), archive))
}

pub(crate) const DOCUMENTS: [&str; 5] = [
    "tools/cli/README.md",
    "tools/simulator/README.md",
    "docs/choosing.md",
    "docs/export.md",
    "docs/http-budget.md",
];

/// Tests the command. Its tests in Rust are those of the crates. Those of a release run the binary as it is
/// published, those of all platforms, and the simulator in WebAssembly.
pub(crate) fn test(report: &mut Report) {
    pytest(report, "tools/cli/tests", binary);
    for document in DOCUMENTS {
        docs::test(report, &root().join(document));
    }
    docs::test_folder(report, "tools/cli/docs", &[]);
    test_engines(report);
    if !report.is_all {
        return;
    }
    report.check("the published command is one static binary", || {
        let headers = program("readelf --program-headers").arg(published()?).stdout()?;
        Ok(ensure!(!headers.contains("INTERP"), "it needs an interpreter:\n{headers}"))
    });
    pytest(report, "tools/cli/tests", published);
    pytest(report, "tools/cli/examples", published);
    report.check("the simulator computes the same numbers in WebAssembly", golden_in_wasm);
    for (platform, name, runner) in PLATFORMS {
        report.runs_on(("Command", "platforms", name), || {
            let delays = "delays full:base=1s,cap=10s --seed 42 --key job-1 --count 2 --unit ns";
            let printed = program(runner).arg(packed(platform)?.0).words(delays).stdout()?;
            // The vector `go-full`.
            let printed: Vec<&str> = printed.lines().collect();
            ensure!(printed == ["113994343", "830438758"], "printed {printed:?}");
            Ok(String::new())
        });
    }
}

const ENGINES: &str = "tools/export/tests/engines";
const REQUIREMENTS: &str = "tools/export/tests/engines/requirements.txt";

/// Tests the configurations that `backoff export` prints with the schemas, the parsers and the formulas of their
/// engines.
fn test_engines(report: &mut Report) {
    report.pytest(&format!("pytest {ENGINES}"), || {
        let pytest = venv::with("engines-python", REQUIREMENTS, &[])?.join("bin/pytest");
        let this = &["xtask/src/program.rs"];
        let validator = fresh::built(scratch().join("engines-npm"), this, |folder| {
            write(folder.join("package.json"), "{\"private\": true}\n")?;
            let npm = program("npm install --silent --no-audit --no-fund asl-validator@4.0.0");
            npm.within(folder).run()
        })?;
        // The schemas of Istio's resources, in the cache of Go. The top folder is in no module.
        let module = program("go mod download -json istio.io/api@v1.31.4").stdout()?;
        let module: serde_json::Value = serde_json::from_str(&module)?;
        let schemas = module["Dir"].as_str().context("go mod download names no folder")?;
        let pytest = program_at(pytest).arg(ENGINES).env("BACKOFF", binary()?);
        Ok(pytest.env("ISTIO_API", schemas).env("ASL_VALIDATOR", validator))
    });
}

fn pytest(report: &mut Report, tests: &str, binary: fn() -> Result<PathBuf>) {
    report.pytest(&format!("pytest {tests}"), || {
        Ok(python::tool("pytest")?.arg(tests).env("BACKOFF", binary()?))
    });
}

/// WebAssembly has narrow pointers, and another backend of the compiler.
fn golden_in_wasm() -> Result<()> {
    let wasi = "wasm32-wasip1";
    add_target(wasi)?;
    cargo("build --locked --package backoff-sim --example golden --target").arg(wasi).run()?;
    let node = program("node --no-warnings tools/simulator/tests/wasi.mjs");
    let printed = node.arg(target().join(wasi).join("debug/examples/golden.wasm")).stdout()?;
    let golden = read("tools/simulator/tests/golden.jsonl")?;
    Ok(ensure!(printed == golden, "expected\n{golden}printed\n{printed}"))
}

pub(crate) fn verify(evaluator: &Program) -> Result<()> {
    program_at(binary()?).words("verify --").with(evaluator).run()
}
