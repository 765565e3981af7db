//! The packaged core on targets without an operating system, and those without 64-bit atomics.

use crate::languages::rust::packaged::{in_user, on, packaged, refused, user};
use crate::report::Report;
use crate::shell::*;

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

pub(super) fn test(report: &mut Report) {
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
