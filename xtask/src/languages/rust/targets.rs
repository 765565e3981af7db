//! The packaged core on targets without an operating system, and those without 64-bit atomics.

use std::process::Command;

use anyhow::{Result, ensure};

use crate::languages::rust::packaged::{in_user, on, packaged, user};
use crate::report::Report;
use crate::shell::{add_target, cargo, run};

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
                run(&mut bare(target, features)?)?;
            }
            Ok(String::new())
        });
    }
    report.check("where nothing is atomic, the compiler says what to choose", || {
        for (target, _) in BARE.iter().filter(|(_, atomics)| atomics.contains('/')) {
            let output = bare(target, "portable-atomic")?.output()?;
            let printed = String::from_utf8_lossy(&output.stderr);
            ensure!(!output.status.success(), "{target} compiles");
            ensure!(printed.contains("`critical-section` feature"), "printed\n{printed}");
        }
        Ok(())
    });
    report.check("targets without 64-bit atomics need a feature, which the compiler names", || {
        add_target(NARROW)?;
        let without = user("rust-narrow", "version = \"*\" }\n", "src/lib.rs", BUDGET)?;
        let output = on(&without, &["check", "--quiet", "--target", NARROW]).output()?;
        let printed = String::from_utf8_lossy(&output.stderr);
        let note = "enable feature `portable-atomic` of `backoff-retry`";
        ensure!(!output.status.success() && printed.contains(note), "printed\n{printed}");
        let dependencies = "features = [\"portable-atomic\"] }\n";
        let with = user("rust-narrow", dependencies, "src/lib.rs", BUDGET)?;
        run(&mut on(&with, &["check", "--quiet", "--target", NARROW]))
    });
}

/// Builds the packaged core for a target, where a warning is an error.
fn bare(target: &str, features: &str) -> Result<Command> {
    let mut build = cargo();
    build.args(["build", "--locked", "--quiet", "--no-default-features", "--target", target]);
    build.args(["--features", features]).env("RUSTFLAGS", "-D warnings");
    Ok(in_user(build, &packaged("backoff-core")?))
}
