//! The crates as a registry would serve them, and users' crates over them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use toml::{Table, Value};

use crate::shell::{cargo, command, empty, root, run, scratch, stdout, target};

/// The crates that are published: the two that programs depend on, the adapters, the configurations
/// of engines, the simulator and the command. Each with its folder.
pub(crate) const CRATES: [(&str, &str); 6] = [
    ("backoff-core", "core"),
    ("backoff-retry", "bindings-rust"),
    ("backoff-adapters", "bindings-rust/adapters"),
    ("backoff-export", "tools/export"),
    ("backoff-sim", "tools/simulator"),
    ("backoff-cli", "tools/cli"),
];

/// The other dependencies of the programs in the documents, in the versions of `Cargo.lock`: the
/// core, and the peer that a page migrates from.
const OTHER_DEPENDENCIES: &str = r#"backoff-core = "*"
backon = "1"
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
"#;

/// The archives that a registry would serve.
pub(crate) fn archives() -> Result<Vec<PathBuf>> {
    let packages = CRATES.into_iter().flat_map(|(name, _)| ["--package", name]);
    run(cargo()
        .args(["package", "--locked", "--allow-dirty", "--no-verify", "--quiet"])
        .args(packages))?;
    Ok(CRATES.map(|(name, _)| archive(name)).to_vec())
}

/// The archive of a crate, once it is packaged.
pub(super) fn archive(name: &str) -> PathBuf {
    target().join("package").join(versioned(name)).with_added_extension("crate")
}

/// A crate with its version, as its archive and the folder in it are named.
pub(super) fn versioned(name: &str) -> String {
    format!("{name}-{}", env!("CARGO_PKG_VERSION"))
}

/// A crate, packaged and unpacked.
pub(super) fn packaged(name: &str) -> Result<PathBuf> {
    static UNPACKED: Mutex<Option<PathBuf>> = Mutex::new(None);
    let mut unpacked = UNPACKED.lock().unwrap_or_else(PoisonError::into_inner);
    if unpacked.is_none() {
        let folder = scratch().join("rust-crate");
        empty(&folder)?;
        for archive in archives()? {
            // The files get the time of now. With those of the archive, which never change, cargo would
            // not compile a crate again that was packaged again.
            run(command("tar").arg("-xzmf").arg(archive).arg("-C").arg(&folder))?;
        }
        for (name, _) in CRATES {
            // Where this project contains the target folder, it is not the workspace of the crate.
            let manifest = folder.join(versioned(name)).join("Cargo.toml");
            fs::write(&manifest, fs::read_to_string(&manifest)? + "\n[workspace]\n")?;
        }
        *unpacked = Some(folder);
    }
    Ok(unpacked.as_ref().context("no crate")?.join(versioned(name)))
}

/// The output of a program that depends on the packaged crates.
pub(crate) fn snippet(code: &str) -> Result<String> {
    let dependencies = format!("features = [\"tokio\"] }}\n{OTHER_DEPENDENCIES}");
    let user = user("rust-user", &dependencies, "src/main.rs", code)?;
    stdout(&mut on(&user, &["run", "--quiet"]))
}

/// Writes a user's crate that depends on the packaged ones. `dependencies` is the end of its
/// manifest, from the middle of the line of `backoff-retry`.
pub(super) fn user(name: &str, dependencies: &str, file: &str, program: &str) -> Result<PathBuf> {
    let loops = packaged("backoff-retry")?;
    let loops = loops.display();
    let dependencies = format!("backoff-retry = {{ path = \"{loops}\", {dependencies}");
    user_of(name, &dependencies, file, program)
}

/// Writes a user's crate with these dependencies, in which `backoff-core` is the packaged one.
pub(super) fn user_of(
    name: &str,
    dependencies: &str,
    file: &str,
    program: &str,
) -> Result<PathBuf> {
    let user = scratch().join(name);
    fs::create_dir_all(user.join("src"))?;
    let core = packaged("backoff-core")?;
    let manifest = format!(
        "[package]\nname = \"user\"\nedition = \"2024\"\n[workspace]\n\
         [patch.crates-io]\nbackoff-core = {{ path = \"{}\" }}\n\
         [dependencies]\n{dependencies}",
        core.display()
    );
    fs::write(user.join("Cargo.toml"), manifest)?;
    fs::write(user.join(file), program)?;
    // The versions that the tests of this project use.
    fs::copy(root().join("Cargo.lock"), user.join("Cargo.lock")).context("Cargo.lock")?;
    Ok(user)
}

/// Runs cargo in a user's crate.
pub(super) fn on(user: &Path, arguments: &[&str]) -> Command {
    let mut cargo = cargo();
    cargo.args(arguments);
    in_user(cargo, user)
}

pub(super) fn in_user(mut cargo: Command, user: &Path) -> Command {
    cargo.arg("--manifest-path").arg(user.join("Cargo.toml"));
    cargo.env("CARGO_TARGET_DIR", scratch().join("rust-user-target"));
    // It would take more time to write than everything else.
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "0");
    cargo
}

/// The oldest Rust that a packaged crate promises to support, with a patch number.
pub(super) fn rust_version(name: &str) -> Result<String> {
    let manifest = manifest(&packaged(name)?)?;
    let version = manifest.get("package").and_then(|package| package.get("rust-version"));
    Ok(format!("{}.0", version.and_then(Value::as_str).context("no rust-version")?))
}

/// The features of a crate and whether they are defaults.
pub(super) fn features(folder: &Path) -> Result<BTreeMap<String, bool>> {
    let manifest = manifest(folder)?;
    let Some(table) = manifest.get("features").and_then(Value::as_table) else {
        return Ok(BTreeMap::new());
    };
    let is_default = |name: &String| {
        let defaults = table.get("default").and_then(Value::as_array);
        defaults.is_some_and(|list| list.iter().any(|value| value.as_str() == Some(name)))
    };
    let names = table.keys().filter(|name| *name != "default");
    Ok(names.map(|name| (name.clone(), is_default(name))).collect())
}

/// The manifest of a crate.
pub(super) fn manifest(folder: &Path) -> Result<Table> {
    let path = folder.join("Cargo.toml");
    fs::read_to_string(&path)?.parse().with_context(|| path.display().to_string())
}
