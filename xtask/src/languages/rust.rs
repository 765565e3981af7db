//! Rust: the packaged crate.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::report::{Report, Runner};
use crate::shell::{cargo, command, empty, progress, root, run, scratch, stdout, target};

const NAME: &str = concat!("backoff-core-", env!("CARGO_PKG_VERSION"));

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

/// Lints of all crates; tests of the core and of xtask.
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
        "clippy: the bindings",
        &mut clippy(&["--workspace", "--exclude", "backoff-core", "--exclude", "xtask"]),
    );
    report.command("clippy: xtask", &mut clippy(&["--package", "xtask"]));
    report.command(
        "the core without features",
        cargo().args(["build", "--locked", "--package", "backoff-core", "--no-default-features"]),
    );
    report.command(
        "rustdoc",
        cargo()
            .args(["doc", "--locked", "--no-deps", "--package", "backoff-core", "--all-features"])
            .env("RUSTDOCFLAGS", "-D warnings"),
    );
    if command("java").arg("-version").output().is_err() {
        progress("no JDK here: recorded draws of OpenJDK 17 stand for Java's SplittableRandom");
    }
    report.suite(
        "tests of the core",
        Runner::Cargo,
        cargo().args(["test", "--locked", "--package", "backoff-core", "--all-features"]),
    );
    report.suite(
        "tests of xtask",
        Runner::Cargo,
        cargo().args(["test", "--locked", "--package", "xtask"]),
    );
    report.check("the packaged crate holds what it needs and no more", || {
        let folder = packaged()?;
        for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "src/lib.rs"] {
            anyhow::ensure!(folder.join(file).exists(), "no {file} in the crate");
        }
        anyhow::ensure!(!folder.join("tests").exists(), "tests in the crate");
        Ok(())
    });
}

/// The crate as the registry would hand it out.
pub(crate) fn archive() -> Result<PathBuf> {
    run(cargo()
        .args(["package", "--locked", "--allow-dirty", "--no-verify", "--quiet"])
        .args(["--package", "backoff-core"]))?;
    Ok(target().join("package").join(NAME).with_added_extension("crate"))
}

/// The crate, unpacked.
fn packaged() -> Result<PathBuf> {
    let folder = scratch().join("rust-crate");
    empty(&folder)?;
    run(command("tar").arg("-xzf").arg(archive()?).arg("-C").arg(&folder))?;
    Ok(folder.join(NAME))
}

/// A user's crate with the packaged one as its dependency.
pub(crate) fn snippet(code: &str) -> Result<String> {
    let user = scratch().join("rust-user");
    fs::create_dir_all(user.join("src"))?;
    let manifest = format!(
        "[package]\nname = \"user\"\nedition = \"2024\"\n[dependencies]\nbackoff-core = {{ path = \"{}\" }}\n[workspace]\n",
        packaged()?.display()
    );
    fs::write(user.join("Cargo.toml"), manifest)?;
    fs::write(user.join("src/main.rs"), code)?;
    // The versions that this project is tested with.
    fs::copy(root().join("Cargo.lock"), user.join("Cargo.lock")).context("Cargo.lock")?;
    stdout(
        cargo()
            .args(["run", "--quiet", "--manifest-path"])
            .arg(user.join("Cargo.toml"))
            .env("CARGO_TARGET_DIR", scratch().join("rust-user-target")),
    )
}
