//! Programs of users over the packaged crates.

use crate::languages::rust::packaged::{
    CRATES, features, in_user, on, packaged, patches, refused, rust_version, snippet, user,
    user_of_file,
};
use crate::libbackoff::Platform;
use crate::report::Report;
use crate::shell::*;

/// The loops without features.
const BARE_LOOPS: &str = "backoff-retry = { version = \"*\", default-features = false }\n";

pub(super) fn test(report: &mut Report) {
    let host = Platform::host().map_or("unknown".to_owned(), |host| host.name().to_owned());
    report.runs_on(("Rust", "platforms", &host), || {
        let printed = snippet(&read("bindings-rust/tests/users/loop.rs")?)?;
        ensure!(printed == "Ok(3)\n", "a program over the packaged crates: {printed}");
        Ok(String::new())
    });
    let without_system =
        "the packaged crates in WebAssembly, with a clock and a sleep of the caller";
    report.check(without_system, || {
        add_target(WASM)?;
        on(&user_of_file("wasm", BARE_LOOPS)?, &format!("check --quiet --target {WASM}"))?.run()
    });
    report.check("the packaged crates compile no crate for one yield", || {
        let user = user("rust-plain", "backoff-retry = \"*\"\n", "src/lib.rs", "")?;
        let tree = on(&user, "tree --prefix=none --target=all --edges=normal")?.stdout()?;
        Ok(ensure!(!tree.contains("rustix"), "{tree}"))
    });
    report.check("the compiler names the feature that `call_async` needs", || {
        let user = user_of_file("no_timer", BARE_LOOPS)?;
        let note = "enable feature `tokio` of `backoff-retry`, or pass your runtime's timer";
        refused(&on(&user, "check --quiet")?, note)
    });
    report.check("the compiler says that WebAssembly needs a clock of the caller", || {
        let user = user_of_file("no_clock", BARE_LOOPS)?;
        let check = on(&user, &format!("check --quiet --target {WASM}"))?;
        refused(&check, "has no clock of its own, so a loop needs one there")
    });
}

/// Each feature alone, and the oldest Rust.
pub(super) fn test_more(report: &mut Report) {
    let names = report.timed("the features of the loops", || features(&packaged("backoff-retry")?));
    for name in names.unwrap_or_default().into_keys().chain([String::new()]) {
        report.suite(&format!("backoff-retry with `{name}` alone"), || {
            Ok(on(&with_features()?, "test --lib")?.arg(format!("--features={name}")))
        });
    }
    report.check("the packaged crates with the oldest Rust that they promise", || {
        let oldest = oldest("backoff-retry")?.words("test --quiet --lib --all-features");
        in_user(oldest.args(patches(&["backoff-core", "backoff-retry"])?), &with_features()?).run()
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

/// A user's crate whose features turn on those of the loops.
fn with_features() -> Result<PathBuf> {
    let forwarded = features(&packaged("backoff-retry")?)?.into_keys();
    let forwarded = forwarded.map(|name| format!("{name} = [\"backoff-retry/{name}\"]\n"));
    let dependencies = format!("{BARE_LOOPS}rand_xoshiro = \"0.8\"\nserde = \"1\"\n[features]\n");
    user_of_file("features", &(dependencies + &forwarded.collect::<String>()))
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
        let check = |of_retry| {
            let user = user_of_file("budget", &format!("backoff-retry = {of_retry}\n"))?;
            on(&user, &format!("check --quiet --target {NARROW}"))
        };
        let note = "enable feature `portable-atomic` of `backoff-retry`";
        refused(&check("\"*\"")?, note)?;
        check("{ version = \"*\", features = [\"portable-atomic\"] }")?.run()
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

/// Targets without an operating system, and what each needs for budgets. None has 64-bit atomics;
/// two have no compare-and-swap of any width, so their user chooses how to do without.
const BARE: [(&str, &str); 3] = [
    ("thumbv6m-none-eabi", "portable-atomic,portable-atomic/critical-section"),
    ("thumbv7em-none-eabi", "portable-atomic"),
    ("riscv32imc-unknown-none-elf", "portable-atomic,portable-atomic/critical-section"),
];

/// A target of programs without 64-bit atomics.
const NARROW: &str = "powerpc-unknown-linux-gnu";
