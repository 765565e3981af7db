//! The command `backoff`: one static binary, and the tests of it and of the simulator.

use std::env::consts::{ARCH, EXE_SUFFIX, OS};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, ensure};

use crate::archive::tar_gz;
use crate::crates::{PUBLISHED, linted};
use crate::cross;
use crate::docs;
use crate::evaluators::reference_evaluator;
use crate::languages::language::Platforms;
use crate::languages::python;
use crate::libbackoff::Platform;
use crate::licenses;
use crate::report::Report;
use crate::shell::{
    add_target, cargo, command, empty, programs, progress, root, run, scratch, stdout, target,
};

/// The binary that the tests run: the one that cargo builds for the tests of the crates.
pub(crate) fn binary() -> Result<PathBuf> {
    static BUILT: Mutex<Option<PathBuf>> = Mutex::new(None);
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(path) = &*built {
        return Ok(path.clone());
    }
    progress("building the command");
    // With an example cargo compiles the crates as it does for their tests, which use the same.
    run(linted("build", PUBLISHED)?.args(["--bin", "backoff", "--example", "evaluate"]))?;
    let name = format!("backoff{EXE_SUFFIX}");
    fs::create_dir_all(programs())?;
    // Documents find it there. A running program cannot be overwritten, but it can be replaced.
    let path = programs().join(&name);
    let _ = fs::remove_file(&path);
    fs::copy(target().join("debug").join(name), &path)?;
    Ok(built.insert(path).clone())
}

/// The binary for this machine as it is published. On Linux it contains its C library, so that it runs on
/// any distribution.
fn published() -> Result<PathBuf> {
    progress("building the command as it is published");
    let mut build = cargo();
    build.args(["build", "--locked", "--release", "--package", "backoff-cli"]);
    let mut folder = target();
    if OS == "linux" {
        let musl = format!("{ARCH}-unknown-linux-musl");
        add_target(&musl)?;
        build.args(["--target", &musl]);
        folder.push(musl);
    }
    run(&mut build)?;
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
            PLATFORMS.iter().map(|(platform, ..)| packed(platform)).collect()
        }
        Platforms::All => Ok(vec![packed(Platform::host()?.triple())?]),
    }
}

/// An archive of the binary for a platform, with its page and the licenses.
fn packed(platform: &str) -> Result<PathBuf> {
    progress(&format!("building the command for {platform}"));
    let mut build = if OS == "linux" {
        cross::cargo_for("zigbuild", platform)?
    } else {
        let mut cargo = cargo();
        cargo.args(["build", "--target", platform]);
        cargo
    };
    run(build.args(["--locked", "--release", "--package", "backoff-cli"]))?;
    let name = format!("backoff-{}-{platform}", env!("CARGO_PKG_VERSION"));
    let folder = scratch().join("command").join(&name);
    empty(&folder)?;
    let program = if platform.contains("windows") { "backoff.exe" } else { "backoff" };
    fs::copy(target().join(platform).join("release").join(program), folder.join(program))?;
    for file in ["README.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        fs::copy(root().join("tools/cli").join(file), folder.join(file))?;
    }
    fs::write(folder.join(licenses::FILE), licenses::of_binaries("backoff-cli", platform)?)?;
    let archive = folder.with_added_extension("tar.gz");
    tar_gz(&folder, &archive)?;
    Ok(archive)
}

/// The binary, to be run in the top folder.
pub(crate) fn backoff() -> Result<Command> {
    Ok(command(binary()?))
}

/// The documents with examples of the command.
pub(crate) const DOCUMENTS: [&str; 4] =
    ["tools/cli/README.md", "tools/simulator/README.md", "docs/export.md", "docs/http-budget.md"];

/// Tests the command. Its tests in Rust are those of the crates.
pub(crate) fn test(report: &mut Report) {
    pytest(report, "tools/cli/tests", binary);
    for document in DOCUMENTS {
        docs::test(report, &root().join(document));
    }
    docs::test_folder(report, "tools/cli/docs", &[]);
    report.check("`backoff verify` passes the reference", || verify(&reference_evaluator()));
}

/// Tests in Python of a binary.
fn pytest(report: &mut Report, tests: &str, binary: fn() -> Result<PathBuf>) {
    report.pytest(&format!("pytest {tests}"), || {
        let mut pytest = python::tool("pytest")?;
        pytest.arg(tests).env("BACKOFF", binary()?);
        Ok(pytest)
    });
}

/// Tests the binary as it is published, runs those of all platforms, and the simulator in WebAssembly.
pub(crate) fn test_more(report: &mut Report) {
    report.check("the published command is one static binary", is_static);
    pytest(report, "tools/cli/tests", published);
    pytest(report, "tools/cli/examples", published);
    report.check("the simulator computes the same numbers in WebAssembly", golden_in_wasm);
    for (platform, name, runner) in PLATFORMS {
        report.runs_on(("Command", "platforms", name), || {
            let folder = packed(platform)?.with_extension("").with_extension("");
            let program = if platform.contains("windows") { "backoff.exe" } else { "backoff" };
            let mut backoff = command(runner);
            backoff.arg(folder.join(program)).args(["delays", "full:base=1s,cap=10s"]);
            backoff.args(["--seed", "42", "--key", "job-1", "--count", "2", "--unit", "ns"]);
            let printed = stdout(&mut backoff)?;
            // The vector `go-full`.
            let printed: Vec<&str> = printed.lines().collect();
            ensure!(printed == ["113994343", "830438758"], "printed {printed:?}");
            Ok(String::new())
        });
    }
}

fn is_static() -> Result<()> {
    let headers = stdout(command("readelf").arg("--program-headers").arg(published()?))?;
    ensure!(!headers.contains("INTERP"), "it needs an interpreter:\n{headers}");
    Ok(())
}

/// WebAssembly has narrow pointers, and another backend of the compiler.
fn golden_in_wasm() -> Result<()> {
    let wasi = "wasm32-wasip1";
    add_target(wasi)?;
    run(cargo().args(["build", "--locked", "--package", "backoff-sim"]).args([
        "--example",
        "golden",
        "--target",
        wasi,
    ]))?;
    let module = target().join(wasi).join("debug/examples/golden.wasm");
    let printed = stdout(
        command("node").args(["--no-warnings", "tools/simulator/tests/wasi.mjs"]).arg(module),
    )?;
    let golden = fs::read_to_string(root().join("tools/simulator/tests/golden.jsonl"))?;
    ensure!(printed == golden, "expected\n{golden}printed\n{printed}");
    Ok(())
}

/// `backoff verify` of an evaluator.
pub(crate) fn verify(evaluator: &Command) -> Result<()> {
    let mut verify = backoff()?;
    verify.args(["verify", "--"]).arg(evaluator.get_program()).args(evaluator.get_args());
    for (name, value) in evaluator.get_envs() {
        match value {
            Some(value) => verify.env(name, value),
            None => verify.env_remove(name),
        };
    }
    if let Some(folder) = evaluator.get_current_dir() {
        verify.current_dir(folder);
    }
    run(&mut verify)
}
