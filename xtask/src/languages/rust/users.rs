//! Programs of users over the packaged crates.

use std::process::Command;

use anyhow::Result;

use crate::languages::rust::packaged::{
    CRATES, features, in_user, on, packaged, rust_version, snippet, user,
};
use crate::libbackoff::Platform;
use crate::report::Report;
use crate::shell::{WASM, add_target, command, progress, run, stdout};

pub(super) fn test(report: &mut Report) {
    let host =
        Platform::host().map_or_else(|_| "unknown".to_owned(), |host| host.name().to_owned());
    report.runs_on(("Rust", "platforms", &host), || {
        let printed = snippet(PROGRAM)?;
        anyhow::ensure!(printed == "Ok(3)\n", "a program over the packaged crates: {printed}");
        Ok(String::new())
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
    report.check("the packaged crates compile no crate for one yield", || {
        let user = user("rust-plain", "version = \"*\" }\n", "src/lib.rs", "")?;
        let tree =
            stdout(&mut on(&user, &["tree", "--prefix=none", "--target=all", "--edges=normal"]))?;
        anyhow::ensure!(!tree.contains("rustix"), "{tree}");
        Ok(())
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

/// The oldest Rust.
pub(super) fn test_more(report: &mut Report) {
    report.check("the packaged crates with the oldest Rust that they promise", || {
        let names = |name| Ok(features(&packaged(name)?)?.into_keys().collect::<Vec<_>>());
        let [of_core, of_loops]: [Result<_>; 2] = [names("backoff-core"), names("backoff-retry")];
        let dependencies = format!(
            "features = {:?} }}\nbackoff-core = {{ version = \"*\", features = {:?} }}\n\
             rand_xoshiro = \"0.8\"\nserde = \"1\"\ntokio = {{ version = \"1\", features = [\"rt\"] }}\n",
            of_loops?, of_core?
        );
        let user = user("rust-oldest", &dependencies, "src/lib.rs", EVERY_FEATURE)?;
        let mut cargo = oldest("backoff-core")?;
        cargo.args(["test", "--quiet", "--lib"]);
        run(&mut in_user(cargo, &user))
    });
    for (name, _) in CRATES {
        let version = rust_version(name).unwrap_or_default();
        report.runs_on(("Rust", "oldest Rust", name), || {
            let mut cargo = oldest(name)?;
            cargo.args(["check", "--quiet", "--all-features"]);
            for dependency in ["backoff-core", "backoff-export", "backoff-retry", "backoff-sim"] {
                cargo.arg("--config").arg(format!(
                    "patch.crates-io.{dependency}.path=\"{}\"",
                    packaged(dependency)?.display()
                ));
            }
            run(&mut in_user(cargo, &packaged(name)?))?;
            Ok(version)
        });
    }
}

/// The cargo of the oldest Rust that a packaged crate promises to support.
fn oldest(name: &str) -> Result<Command> {
    let version = rust_version(name)?;
    if !command("rustup").args(["run", &version, "rustc", "-V"]).output()?.status.success() {
        progress(&format!("installing Rust {version}"));
        run(command("rustup").args(["toolchain", "install", &version, "--profile", "minimal"]))?;
    }
    let mut cargo = command("rustup");
    cargo.args(["run", &version, "cargo"]);
    Ok(cargo)
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
    let Report { result, reason, elapsed, .. } = plan.call_with_report(|| Err::<(), _>("busy"));
    assert_eq!((result, reason, elapsed), (Err("busy"), StopReason::MaxRetries, delays));

    let soon = Policy::parse("constant:base=1ms,max_retries=2").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let plan = Retry::new(soon).when(|_: &&str| true);
    let report = runtime.block_on(plan.call_async_with_report(async || Err::<(), _>("busy")));
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
