//! Rust: the packaged crates.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::report::{Report, Runner};
use crate::shell::{
    WASM, cargo, command, empty, progress, root, run, scratch, stdout, target, wasm_target,
};

const CORE: &str = concat!("backoff-core-", env!("CARGO_PKG_VERSION"));
const RETRY: &str = concat!("backoff-retry-", env!("CARGO_PKG_VERSION"));

/// What a program of the documents may use beside the loops, in the versions of `Cargo.lock`: the
/// core, and the peers that it migrates from.
const BESIDE: &str = r#"backoff-core = "*"
backon = "1"
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
"#;

/// The driver.
pub(crate) fn driver() -> Result<Command> {
    example("driver")
}

/// The evaluator.
pub(crate) fn evaluator() -> Result<Command> {
    example("evaluate")
}

fn example(name: &str) -> Result<Command> {
    progress(&format!("building Rust's {name}"));
    run(cargo()
        .args(["build", "--locked", "--release", "--package", "backoff-core"])
        .args(["--example", name]))?;
    Ok(command(target().join("release/examples").join(name)))
}

/// The HTTP example. Not of the release profile: it takes a minute to link, to save nothing of
/// what the waits take.
pub(crate) fn client() -> Result<Command> {
    progress("building Rust's http");
    run(cargo()
        .args(["build", "--locked", "--package", "backoff-retry", "--features", "tokio"])
        .args(["--example", "http"]))?;
    Ok(command(target().join("debug/examples/http")))
}

/// Lints of all crates; tests of the core, of the loops and of xtask.
pub(crate) fn test(report: &mut Report) {
    report.command("cargo fmt", cargo().args(["fmt", "--all", "--check"]));
    let clippy = |packages: &[&str]| {
        let mut command = cargo();
        command.args(["clippy", "--locked", "--quiet", "--all-targets"]).args(packages);
        command.args(["--", "-D", "warnings"]);
        command
    };
    report.command(
        "clippy: the core with all features",
        &mut clippy(&["--package", "backoff-core", "--all-features"]),
    );
    report.command(
        "clippy: the loops with all features",
        &mut clippy(&["--package", "backoff-retry", "--all-features"]),
    );
    // Apart from the loops, whose tests turn on features of what libbackoff links.
    let apart = ["backoff-core", "backoff-retry", "xtask"].map(|name| ["--exclude", name]);
    report.command(
        "clippy: the bindings",
        &mut clippy(&[&["--workspace"], &*apart.concat()].concat()),
    );
    report.command("clippy: xtask", &mut clippy(&["--package", "xtask"]));
    report.command(
        "the core without features",
        cargo().args(["build", "--locked", "--package", "backoff-core", "--no-default-features"]),
    );
    report.check("clippy: the loops without features, in WebAssembly", || {
        wasm_target()?;
        run(cargo().args(["clippy", "--locked", "--quiet", "--package", "backoff-retry"]).args([
            "--no-default-features",
            "--target",
            WASM,
            "--",
            "-D",
            "warnings",
        ]))
    });
    report.command(
        "rustdoc",
        cargo()
            .args(["doc", "--locked", "--no-deps", "--all-features"])
            .args(["--package", "backoff-core", "--package", "backoff-retry"])
            .env("RUSTDOCFLAGS", "-D warnings"),
    );
    if command("java").arg("-version").output().is_err() {
        progress("no JDK here: recorded draws of OpenJDK 17 stand for Java's SplittableRandom");
    }
    report.suite(
        "tests of the core",
        Runner::Summary,
        cargo().args(["test", "--locked", "--package", "backoff-core", "--all-features"]),
    );
    report.suite(
        "tests of the loops",
        Runner::Summary,
        cargo().args(["test", "--locked", "--package", "backoff-retry", "--all-features"]),
    );
    report.suite(
        "tests of xtask",
        Runner::Summary,
        cargo().args(["test", "--locked", "--package", "xtask"]),
    );
    report.check("the packaged crates hold what they need and no more", || {
        for folder in packaged()? {
            for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "src/lib.rs"] {
                anyhow::ensure!(folder.join(file).exists(), "no {file} in {}", folder.display());
            }
            anyhow::ensure!(!folder.join("tests").exists(), "tests in {}", folder.display());
        }
        Ok(())
    });
    report.check("a program over the packaged crates", || {
        let printed = snippet(PROGRAM)?;
        anyhow::ensure!(printed == "Ok(3)\n", "printed\n{printed}");
        Ok(())
    });
    report.check("loops over the packaged crates in WebAssembly, with all handed in", || {
        let user = user("rust-wasm", "default-features = false }\n", "src/lib.rs", HANDED_IN)?;
        wasm_target()?;
        run(&mut on(&user, &["check", "--quiet", "--target", WASM]))
    });
    report
        .check("the HTTP example waits what the core says", || scenario::check("rust", client()?));
}

const PROGRAM: &str = r#"
#[tokio::main]
async fn main() -> Result<(), backoff_core::ParseError> {
    let retry = backoff_retry::Retry::new("constant:base=1ms".parse()?);
    let mut calls = 0;
    let result = retry
        .when(|_: &i32| true)
        .call_async(|| {
            calls += 1;
            std::future::ready(if calls < 3 { Err(calls) } else { Ok(calls) })
        })
        .await;
    println!("{result:?}");
    Ok(())
}
"#;

/// What has no clock, no sleep and no entropy hands them in.
const HANDED_IN: &str = r#"
use backoff_retry::{Policy, Retry, Stream};
use std::time::Duration;

pub fn blocking(now: fn() -> Duration, sleep: fn(Duration)) -> Result<(), ()> {
    let retry = Retry::with_stream(Policy::parse("default").unwrap(), Stream::from_seed(42));
    retry.clock(now).sleep(sleep).when(|()| true).call(|| Err(()))
}

pub async fn awaited<S: Future>(now: fn() -> Duration, sleep: fn(Duration) -> S) -> Result<(), ()> {
    let retry = Retry::with_stream(Policy::parse("default").unwrap(), Stream::from_seed(42));
    retry.clock(now).sleep(sleep).when(|()| true).call_async(async || Err(())).await
}
"#;

/// The crates as the registry would hand them out.
pub(crate) fn archives() -> Result<[PathBuf; 2]> {
    run(cargo().args(["package", "--locked", "--allow-dirty", "--no-verify", "--quiet"]).args([
        "--package",
        "backoff-core",
        "--package",
        "backoff-retry",
    ]))?;
    Ok([CORE, RETRY].map(|name| target().join("package").join(name).with_added_extension("crate")))
}

/// The crates, unpacked.
fn packaged() -> Result<[PathBuf; 2]> {
    let folder = scratch().join("rust-crate");
    empty(&folder)?;
    for archive in archives()? {
        run(command("tar").arg("-xzf").arg(archive).arg("-C").arg(&folder))?;
    }
    Ok([CORE, RETRY].map(|name| folder.join(name)))
}

/// What a program prints over the packaged crates, beside the peers.
pub(crate) fn snippet(code: &str) -> Result<String> {
    let dependencies = format!("features = [\"tokio\"] }}\n{BESIDE}");
    let user = user("rust-user", &dependencies, "src/main.rs", code)?;
    stdout(&mut on(&user, &["run", "--quiet"]))
}

/// A user's crate with the packaged ones; its dependencies begin with the rest of the line for
/// the loops.
fn user(name: &str, dependencies: &str, file: &str, program: &str) -> Result<PathBuf> {
    let user = scratch().join(name);
    fs::create_dir_all(user.join("src"))?;
    let [core, loops] = packaged()?;
    let (core, loops) = (core.display(), loops.display());
    let manifest = format!(
        "[package]\nname = \"user\"\nedition = \"2024\"\n[workspace]\n\
         [patch.crates-io]\nbackoff-core = {{ path = \"{core}\" }}\n\
         [dependencies]\n\
         backoff-retry = {{ path = \"{loops}\", {dependencies}"
    );
    fs::write(user.join("Cargo.toml"), manifest)?;
    fs::write(user.join(file), program)?;
    // The versions that this project is tested with.
    fs::copy(root().join("Cargo.lock"), user.join("Cargo.lock")).context("Cargo.lock")?;
    Ok(user)
}

/// What cargo does with a user's crate.
fn on(user: &Path, arguments: &[&str]) -> Command {
    let mut cargo = cargo();
    cargo.args(arguments).arg("--manifest-path").arg(user.join("Cargo.toml"));
    cargo.env("CARGO_TARGET_DIR", scratch().join("rust-user-target"));
    cargo
}
