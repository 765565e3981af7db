//! Programs of users over the packaged crates.

use crate::languages::rust::features::user_with;
use crate::languages::rust::packaged::{
    CRATES, in_user, on, packaged, patches, refused, rust_version, snippet, user,
};
use crate::libbackoff::Platform;
use crate::report::Report;
use crate::shell::*;

pub(super) fn test(report: &mut Report) {
    let host = Platform::host().map_or("unknown".to_owned(), |host| host.name().to_owned());
    report.runs_on(("Rust", "platforms", &host), || {
        let printed = snippet(PROGRAM)?;
        ensure!(printed == "Ok(3)\n", "a program over the packaged crates: {printed}");
        Ok(String::new())
    });
    report.check(
        "the packaged crates in WebAssembly, with a clock and a sleep of the caller",
        || {
            let without = "default-features = false }\n";
            let user = user("rust-wasm", without, "src/lib.rs", WITHOUT_SYSTEM)?;
            add_target(WASM)?;
            on(&user, "check --quiet --target").arg(WASM).run()
        },
    );
    report.check("the packaged crates compile no crate for one yield", || {
        let user = user("rust-plain", "version = \"*\" }\n", "src/lib.rs", "")?;
        let tree = on(&user, "tree --prefix=none --target=all --edges=normal").stdout()?;
        Ok(ensure!(!tree.contains("rustix"), "{tree}"))
    });
    report.check("the compiler names the feature that `call_async` needs", || {
        let user = user("rust-blocking", "default-features = false }\n", "src/lib.rs", NO_TIMER)?;
        let note = "enable feature `tokio` of `backoff-retry`, or pass your runtime's timer";
        refused(&on(&user, "check --quiet"), note)
    });
}

pub(super) fn test_more(report: &mut Report) {
    report.check("the packaged crates with the oldest Rust that they promise", || {
        let oldest = oldest("backoff-retry")?.words("test --quiet --lib --all-features");
        in_user(oldest, &user_with(|_| true)?).run()
    });
    for (name, _) in CRATES {
        report.runs_on(("Rust", "oldest Rust", name), || {
            let names = ["backoff-core", "backoff-export", "backoff-retry", "backoff-sim"];
            let check = oldest(name)?.words("check --quiet --all-features").args(patches(&names)?);
            in_user(check, &packaged(name)?).run()?;
            rust_version(name)
        });
    }
}

/// The core on targets without an operating system, and loops on those without 64-bit atomics.
pub(super) fn on_targets(report: &mut Report) {
    for (target, atomics) in BARE {
        let name = format!("{target} (no_std, builds)");
        report.runs_on(("Rust", "platforms", &name), || {
            add_target(target)?;
            for features in ["", atomics, &format!("rand,serde,{atomics}")] {
                bare(target, features)?.run()?;
            }
            Ok(String::new())
        });
    }
    report.check("where nothing is atomic, the compiler says what to choose", || {
        let mut targets = BARE.iter().filter(|(_, atomics)| atomics.contains('/'));
        targets.try_for_each(|(target, _)| {
            refused(&bare(target, "portable-atomic")?, "`critical-section` feature")
        })
    });
    report.check("targets without 64-bit atomics need a feature, which the compiler names", || {
        add_target(NARROW)?;
        let check = |dependencies| {
            let user = user("rust-narrow", dependencies, "src/lib.rs", BUDGET)?;
            Ok::<_, anyhow::Error>(on(&user, "check --quiet --target").arg(NARROW))
        };
        let note = "enable feature `portable-atomic` of `backoff-retry`";
        refused(&check("version = \"*\" }\n")?, note)?;
        check("features = [\"portable-atomic\"] }\n")?.run()
    });
}

/// Builds the packaged core for a target, where a warning is an error.
fn bare(target: &str, features: &str) -> Result<Program> {
    let build = cargo("build --locked --quiet --no-default-features");
    let build = build.args(["--target", target, "--features", features]);
    Ok(in_user(build.env("RUSTFLAGS", "-D warnings"), &packaged("backoff-core")?))
}

/// The cargo of the oldest Rust that a packaged crate promises to support.
fn oldest(name: &str) -> Result<Program> {
    let version = rust_version(name)?;
    if !program(&format!("rustup run {version} rustc -V")).ends()?.0 {
        progress(&format!("installing Rust {version}"));
        program(&format!("rustup toolchain install {version} --profile minimal")).run()?;
    }
    Ok(program(&format!("rustup run {version} cargo")))
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

/// Targets without an operating system, and what each needs for budgets. None has 64-bit atomics;
/// two have no compare-and-swap of any width, so their user chooses how to do without.
const BARE: [(&str, &str); 3] = [
    ("thumbv6m-none-eabi", "portable-atomic,portable-atomic/critical-section"),
    ("thumbv7em-none-eabi", "portable-atomic"),
    ("riscv32imc-unknown-none-elf", "portable-atomic,portable-atomic/critical-section"),
];

/// A target of programs without 64-bit atomics.
const NARROW: &str = "powerpc-unknown-linux-gnu";

/// A loop with a budget.
const BUDGET: &str = r"
use backoff_retry::{Budget, Retry, RetryStats};

pub fn fetch(budget: &Budget, stats: &RetryStats) -> Result<(), ()> {
    Retry::default().budget(budget).stats(stats).when(|()| true).call(|| Err(()))
}
";
