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

/// The other dependencies of the programs in the documents, in the versions of `Cargo.lock`: the
/// core, and the peer that a page migrates from.
const OTHER_DEPENDENCIES: &str = r#"backoff-core = "*"
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

/// The HTTP example. Built without optimisation, because linking with it takes a minute and the
/// example spends its time in waits.
pub(crate) fn client() -> Result<Command> {
    progress("building Rust's http");
    run(cargo()
        .args(["build", "--locked", "--package", "backoff-retry", "--features", "tokio"])
        .args(["--example", "http"]))?;
    Ok(command(target().join("debug/examples/http")))
}

/// Lints of all crates, and the tests of the core, of the loops and of xtask.
pub(crate) fn test(report: &mut Report) {
    report.command("cargo fmt", cargo().args(["fmt", "--all", "--check"]));
    let clippy = |arguments: &[&str]| {
        let mut command = cargo();
        command.args(["clippy", "--locked", "--quiet"]).args(arguments);
        command.args(["--", "-D", "warnings"]);
        command
    };
    // Separate runs, because the tests of the loops and the tools turn on features of shared
    // dependencies that libbackoff is built without.
    for packages in [
        &["backoff-core"][..],
        &["backoff-retry"],
        &["bindings-c"],
        &["bindings-python", "bindings-wasm"],
        &["xtask", "scenario", "bindings-wasm-glue"],
    ] {
        let arguments = packages.iter().flat_map(|package| ["--package", package]);
        let arguments: Vec<_> =
            ["--all-targets", "--all-features"].into_iter().chain(arguments).collect();
        report.command(&format!("clippy: {}", packages.join(", ")), &mut clippy(&arguments));
    }
    report.command(
        "the core without features",
        cargo().args(["build", "--locked", "--package", "backoff-core", "--no-default-features"]),
    );
    report.check("clippy: the loops without features, in WebAssembly", || {
        wasm_target()?;
        let features = ["--package", "backoff-retry", "--no-default-features"];
        run(&mut clippy(&[&features[..], &["--target", WASM]].concat()))
    });
    for features in ["--all-features", "--no-default-features"] {
        report.command(
            &format!("rustdoc {features}"),
            cargo()
                .args(["doc", "--locked", "--no-deps", features])
                .args(["--package", "backoff-core", "--package", "backoff-retry"])
                .env("RUSTDOCFLAGS", "-D warnings"),
        );
    }
    if command("java").arg("-version").output().is_err() {
        progress("no JDK: the draws are compared with recorded draws of OpenJDK 17");
    }
    for folder in ["core", "bindings-rust", "examples/scenario", "xtask"] {
        report.suite(
            &format!("cargo test in {folder}"),
            Runner::Summary,
            cargo().args(["test", "--locked"]).current_dir(root().join(folder)),
        );
    }
    report.check("the packaged crates hold the files that they need and no tests", || {
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
    report.check(
        "the packaged crates in WebAssembly, with a clock and a sleep of the caller",
        || {
            let user =
                user("rust-wasm", "default-features = false }\n", "src/lib.rs", WITHOUT_SYSTEM)?;
            wasm_target()?;
            run(&mut on(&user, &["check", "--quiet", "--target", WASM]))
        },
    );
    report.check("the compiler names the feature that `call_async` needs", || {
        let user = user("rust-blocking", "default-features = false }\n", "src/lib.rs", NO_TIMER)?;
        let output = on(&user, &["check", "--quiet"]).output()?;
        let printed = String::from_utf8_lossy(&output.stderr);
        let note = "enable feature `tokio` of `backoff-retry`, or pass your runtime's timer";
        anyhow::ensure!(!output.status.success() && printed.contains(note), "printed\n{printed}");
        Ok(())
    });
    report.check("the HTTP example waits for the delays of the core", || {
        scenario::check("rust", client()?)
    });
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

/// A platform without a clock, a sleep and entropy.
const WITHOUT_SYSTEM: &str = r#"
use backoff_retry::{Policy, RandomStream, Retry};
use std::time::Duration;

pub fn blocking(now: fn() -> Duration, sleep: fn(Duration)) -> Result<(), ()> {
    let retry = Retry::with_stream(Policy::parse("default").unwrap(), RandomStream::from_seed(42));
    retry.clock(now).sleep(sleep).when(|()| true).call(|| Err(()))
}

pub async fn awaited<S: Future>(now: fn() -> Duration, sleep: fn(Duration) -> S) -> Result<(), ()> {
    let retry = Retry::with_stream(Policy::parse("default").unwrap(), RandomStream::from_seed(42));
    retry.clock(now).sleep(sleep).when(|()| true).call_async(async || Err(())).await
}
"#;

/// A loop that awaits, without feature `tokio` and without a sleep of the caller's.
const NO_TIMER: &str = r#"
use backoff_retry::{Policy, RandomStream, Retry};

pub async fn awaited() -> Result<(), ()> {
    let retry = Retry::with_stream(Policy::parse("default").unwrap(), RandomStream::from_seed(42));
    retry.when(|()| true).call_async(async || Err(())).await
}
"#;

/// The archives that a registry would serve.
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

/// The output of a program that depends on the packaged crates.
pub(crate) fn snippet(code: &str) -> Result<String> {
    let dependencies = format!("features = [\"tokio\"] }}\n{OTHER_DEPENDENCIES}");
    let user = user("rust-user", &dependencies, "src/main.rs", code)?;
    stdout(&mut on(&user, &["run", "--quiet"]))
}

/// Writes a user's crate that depends on the packaged ones. `dependencies` is the end of its
/// manifest, from the middle of the line of `backoff-retry`.
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
    // The versions that the tests of this project use.
    fs::copy(root().join("Cargo.lock"), user.join("Cargo.lock")).context("Cargo.lock")?;
    Ok(user)
}

/// Runs cargo in a user's crate.
fn on(user: &Path, arguments: &[&str]) -> Command {
    let mut cargo = cargo();
    cargo.args(arguments).arg("--manifest-path").arg(user.join("Cargo.toml"));
    cargo.env("CARGO_TARGET_DIR", scratch().join("rust-user-target"));
    cargo
}
