//! Programs of users over the packaged crates.

use std::process::Command;

use anyhow::Result;

use crate::languages::rust::features::{PROGRAMS, user_with};
use crate::languages::rust::packaged::{
    CRATES, in_user, on, packaged, rust_version, snippet, user,
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
        for (name, program) in PROGRAMS {
            let user = user_with(name, |_| true, program)?;
            let mut cargo = oldest(name)?;
            cargo.args(["test", "--quiet", "--lib", "--all-features"]);
            run(&mut in_user(cargo, &user))?;
        }
        Ok(())
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
