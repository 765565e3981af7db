//! The crates as a registry would serve them, and users' programs over them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context, Result};

use crate::report::Report;
use crate::shell::{
    WASM, add_target, cargo, command, empty, progress, root, run, scratch, stdout, target,
};

/// The crates that are published: the two that programs depend on, the simulator and the command.
const CRATES: [&str; 4] = ["backoff-core", "backoff-retry", "backoff-sim", "backoff-cli"];

/// The other dependencies of the programs in the documents, in the versions of `Cargo.lock`: the
/// core, and the peer that a page migrates from.
const OTHER_DEPENDENCIES: &str = r#"backoff-core = "*"
backon = "1"
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
"#;

pub(super) fn test(report: &mut Report) {
    report.check(
        "the packaged crates hold the files and links that they need and no tests",
        || {
            for folder in packaged()? {
                for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "src"] {
                    anyhow::ensure!(
                        folder.join(file).exists(),
                        "no {file} in {}",
                        folder.display()
                    );
                }
                anyhow::ensure!(!folder.join("tests").exists(), "tests in {}", folder.display());
                let manifest = fs::read_to_string(folder.join("Cargo.toml"))?;
                for key in ["description = ", "repository = ", "homepage = ", "documentation = "] {
                    anyhow::ensure!(manifest.contains(key), "no {key} in {}", folder.display());
                }
            }
            Ok(())
        },
    );
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
            add_target(WASM)?;
            run(&mut on(&user, &["check", "--quiet", "--target", WASM]))
        },
    );
    report.check("the packaged crates with the oldest Rust that they promise", || {
        let [core, loops, ..] = packaged()?;
        let [of_core, of_loops] = [features(&core)?, features(&loops)?];
        let dependencies = format!(
            "features = {of_loops:?} }}\nbackoff-core = {{ version = \"*\", features = {of_core:?} }}\n\
             rand_xoshiro = \"0.8\"\nserde = \"1\"\ntokio = {{ version = \"1\", features = [\"rt\"] }}\n"
        );
        let user = user("rust-oldest", &dependencies, "src/lib.rs", EVERY_FEATURE)?;
        let oldest = format!("{}.0", rust_version(&core)?);
        if !command("rustup").args(["run", &oldest, "rustc", "-V"]).output()?.status.success() {
            progress(&format!("installing Rust {oldest}"));
            let install = ["toolchain", "install", &oldest, "--profile", "minimal"];
            run(command("rustup").args(install))?;
        }
        let mut cargo = command("rustup");
        cargo.args(["run", &oldest, "cargo", "test", "--quiet", "--lib"]);
        run(&mut in_user(cargo, &user))
    });
    report.check("the packaged command compiles", || {
        let [core, .., simulator, command] = packaged()?;
        // Where this project contains the target folder, it is not the workspace of the package.
        let manifest = command.join("Cargo.toml");
        let text = fs::read_to_string(&manifest)?;
        if !text.contains("[workspace]") {
            fs::write(&manifest, text + "\n[workspace]\n")?;
        }
        let mut check = cargo();
        check.args(["check", "--quiet"]);
        for (name, folder) in [("core", core), ("sim", simulator)] {
            let folder = folder.display();
            check.arg("--config");
            check.arg(format!("patch.crates-io.backoff-{name}.path=\"{folder}\""));
        }
        run(&mut in_user(check, &command))
    });
    report.check("the packaged crates compile no crate for one yield", || {
        let user = user("rust-plain", "version = \"*\" }\n", "src/lib.rs", "")?;
        let tree =
            stdout(&mut on(&user, &["tree", "--prefix=none", "--target=all", "--edges=normal"]))?;
        anyhow::ensure!(!tree.contains("rustix"), "{tree}");
        Ok(())
    });
    report.check("targets without 64-bit atomics need a feature, which the compiler names", || {
        add_target(NARROW)?;
        let without = user("rust-narrow", "version = \"*\" }\n", "src/lib.rs", BUDGET)?;
        let output = on(&without, &["check", "--quiet", "--target", NARROW]).output()?;
        let printed = String::from_utf8_lossy(&output.stderr);
        let note = "enable feature `portable-atomic` of `backoff-retry`";
        anyhow::ensure!(!output.status.success() && printed.contains(note), "printed\n{printed}");
        let dependencies = "features = [\"portable-atomic\"] }\n";
        let with = user("rust-narrow", dependencies, "src/lib.rs", BUDGET)?;
        run(&mut on(&with, &["check", "--quiet", "--target", NARROW]))
    });
    report.check("the compiler names the feature that `call_async` needs", || {
        let user = user("rust-blocking", "default-features = false }\n", "src/lib.rs", NO_TIMER)?;
        let output = on(&user, &["check", "--quiet"]).output()?;
        let printed = String::from_utf8_lossy(&output.stderr);
        let note = "enable feature `tokio` of `backoff-retry`, or pass your runtime's timer";
        anyhow::ensure!(!output.status.success() && printed.contains(note), "printed\n{printed}");
        Ok(())
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

/// A program that uses every feature, to be tested with any Rust that the crates support.
const EVERY_FEATURE: &str = r#"
#![cfg(test)]

use backoff_retry::{Backoff, Budget, Policy, RandomStream, Report, Retry, RngBackoff, StopReason};
use rand_xoshiro::{SplitMix64, rand_core::SeedableRng};
use serde::{Deserialize, de::IntoDeserializer, de::value::Error};
use std::{cell::Cell, time::Duration};

#[test]
fn blocking_and_async_loops_wait_for_the_delays_of_the_policy() {
    let policy: Policy = "full:base=100ms,cap=20s,max_retries=5".parse().unwrap();
    let stream = RandomStream::from_key(42, "job-1");
    let delays: Duration = Backoff::new(policy, stream).sum();
    assert_eq!(policy.delay_ns(stream, 3), 83_486_434);

    let (now, budget) = (Cell::new(Duration::ZERO), Budget::parse("sre").unwrap());
    let sleep = |delay| now.set(now.get() + delay);
    let retry = Retry::new(policy).stream(stream).clock(|| now.get()).budget(&budget);
    let plan = retry.clone().sleep(sleep).when(|_: &&str| true);
    let Report { result, reason, elapsed, .. } = plan.run(|| Err::<(), _>("busy"));
    assert_eq!((result, reason, elapsed), (Err("busy"), StopReason::MaxRetries, delays));

    let soon = Policy::parse("constant:base=1ms,max_retries=2").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let plan = Retry::new(soon).when(|_: &&str| true);
    let report = runtime.block_on(plan.run_async(async || Err::<(), _>("busy")));
    assert_eq!(report.attempts, 3);
    assert!(report.elapsed >= Duration::from_millis(2));
}

#[test]
fn policies_are_serialized_and_use_any_generator() {
    let text = "full:base=100ms,max_retries=5";
    let policy = Policy::deserialize(IntoDeserializer::<Error>::into_deserializer(text)).unwrap();
    let theirs = RngBackoff::new(policy, SplitMix64::seed_from_u64(42));
    assert!(theirs.eq(Backoff::new(policy, RandomStream::from_seed(42))));
}
"#;

/// A target without 64-bit atomics.
const NARROW: &str = "powerpc-unknown-linux-gnu";

/// A loop with a budget.
const BUDGET: &str = r"
use backoff_retry::{Budget, Retry, RetryStats};

pub fn fetch(budget: &Budget, stats: &RetryStats) -> Result<(), ()> {
    Retry::default().budget(budget).stats(stats).when(|()| true).call(|| Err(()))
}
";

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
pub(crate) fn archives() -> Result<Vec<PathBuf>> {
    let packages = CRATES.into_iter().flat_map(|name| ["--package", name]);
    run(cargo()
        .args(["package", "--locked", "--allow-dirty", "--no-verify", "--quiet"])
        .args(packages))?;
    let archive = |name| target().join("package").join(name).with_added_extension("crate");
    Ok(versions().map(archive).to_vec())
}

/// The names of the archives.
fn versions() -> [String; 4] {
    CRATES.map(|name| format!("{name}-{}", env!("CARGO_PKG_VERSION")))
}

/// The crates, packaged and unpacked once.
fn packaged() -> Result<[PathBuf; 4]> {
    static UNPACKED: OnceLock<PathBuf> = OnceLock::new();
    let folder = scratch().join("rust-crate");
    if UNPACKED.get().is_none() {
        empty(&folder)?;
        for archive in archives()? {
            run(command("tar").arg("-xzf").arg(archive).arg("-C").arg(&folder))?;
        }
    }
    let folder = UNPACKED.get_or_init(|| folder);
    Ok(versions().map(|name| folder.join(name)))
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
    let [core, loops, ..] = packaged()?;
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
    cargo.args(arguments);
    in_user(cargo, user)
}

fn in_user(mut cargo: Command, user: &Path) -> Command {
    cargo.arg("--manifest-path").arg(user.join("Cargo.toml"));
    cargo.env("CARGO_TARGET_DIR", scratch().join("rust-user-target"));
    cargo
}

/// The oldest Rust that a packaged crate promises to support.
fn rust_version(package: &Path) -> Result<String> {
    let manifest = fs::read_to_string(package.join("Cargo.toml"))?;
    let version = manifest.lines().find_map(|line| line.strip_prefix("rust-version = "));
    Ok(version.context("no rust-version")?.trim_matches('"').to_owned())
}

/// The features of a crate, without the default.
pub(super) fn features(package: &Path) -> Result<Vec<String>> {
    let manifest = fs::read_to_string(package.join("Cargo.toml"))?;
    let lines = manifest.lines().skip_while(|line| *line != "[features]").skip(1);
    let names = lines
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| Some(line.split_once(" = [")?.0.to_owned()));
    Ok(names.filter(|name| name != "default").collect())
}
