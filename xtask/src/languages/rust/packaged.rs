//! The crates as a registry would serve them, and users' crates over them.

use std::collections::BTreeMap;

use toml::{Table, Value};

use crate::fresh;
use crate::shell::*;

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

/// The dependencies of the programs in the documents, in the versions of `Cargo.lock`: ours, and the peers that a page
/// migrates from.
const OF_DOCUMENTS: &str = r#"backoff-core = "*"
backoff-retry = { version = "*", features = ["tokio"] }
backon = "1"
tokio-retry = "0.3"
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
"#;

pub(crate) fn archives() -> Result<Vec<PathBuf>> {
    let package = cargo("package --locked --allow-dirty --no-verify --quiet");
    package.args(CRATES.iter().flat_map(|(name, _)| ["--package", name])).run()?;
    Ok(CRATES.map(|(name, _)| archive(name)).to_vec())
}

pub(super) fn archive(name: &str) -> PathBuf {
    target().join("package").join(versioned(name)).with_added_extension("crate")
}

/// A crate with its version, as its archive and the folder in it are named.
pub(super) fn versioned(name: &str) -> String {
    format!("{name}-{}", env!("CARGO_PKG_VERSION"))
}

/// A crate, packaged and unpacked.
pub(super) fn packaged(name: &str) -> Result<PathBuf> {
    let folder = fresh::made(scratch().join("rust-crate"), |folder| {
        for archive in archives()? {
            // The files get the time of now. With those of the archive, which never change, cargo would
            // not compile a crate again that was packaged again.
            program("tar -xzmf").arg(archive).arg("-C").arg(folder).run()?;
        }
        for (name, _) in CRATES {
            // Where this project contains the target folder, it is not the workspace of the crate.
            let manifest = folder.join(versioned(name)).join("Cargo.toml");
            write(&manifest, read(&manifest)? + "\n[workspace]\n")?;
        }
        Ok(())
    })?;
    Ok(folder.join(versioned(name)))
}

/// Options of cargo, with which these packaged crates take the place of those of the registry.
pub(super) fn patches(names: &[&str]) -> Result<Vec<String>> {
    let patch = |name| Ok(format!("--config=patch.crates-io.{name}.path={:?}", packaged(name)?));
    names.iter().map(|name| patch(*name)).collect()
}

pub(crate) fn snippet(code: &str) -> Result<String> {
    on(&user("rust-user", OF_DOCUMENTS, "src/main.rs", code)?, "run --quiet")?.stdout()
}

/// A user's crate from a file of `bindings-rust/tests/users`.
pub(super) fn user_of_file(name: &str, dependencies: &str) -> Result<PathBuf> {
    let code = read(format!("bindings-rust/tests/users/{name}.rs"))?;
    user(&format!("rust-{name}"), dependencies, "src/lib.rs", &code)
}

/// Writes a user's crate with these dependencies at the end of its manifest.
pub(super) fn user(name: &str, dependencies: &str, file: &str, program: &str) -> Result<PathBuf> {
    let user = scratch().join(name);
    let manifest = "[package]\nname = \"user\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n";
    // A pre-release is not any version.
    let dependencies = dependencies.replace("\"*\"", concat!('"', env!("CARGO_PKG_VERSION"), '"'));
    write(user.join("Cargo.toml"), manifest.to_owned() + &dependencies)?;
    write(user.join(file), program)?;
    // The versions that the tests of this project use.
    copy("Cargo.lock", &user.join("Cargo.lock"))?;
    Ok(user)
}

/// cargo on a user's crate over the packaged ones.
pub(super) fn on(user: &Path, line: &str) -> Result<Program> {
    let patches = patches(&["backoff-core", "backoff-retry"])?;
    Ok(in_user(cargo(line).args(patches), user))
}

pub(super) fn in_user(cargo: Program, user: &Path) -> Program {
    let cargo = cargo.arg("--manifest-path").arg(user.join("Cargo.toml"));
    // Debug info would take more time to write than everything else.
    let cargo = cargo.env("CARGO_PROFILE_DEV_DEBUG", "0");
    cargo.env("CARGO_TARGET_DIR", scratch().join("rust-user-target"))
}

/// Fails unless the compiler refuses a program and says what to do instead.
pub(super) fn refused(check: &Program, note: &str) -> Result<()> {
    let (success, printed) = check.ends()?;
    Ok(ensure!(!success && printed.contains(note), "printed\n{printed}"))
}

/// The oldest Rust that a packaged crate promises to support, with a patch number.
pub(super) fn rust_version(name: &str) -> Result<String> {
    let manifest = manifest(&packaged(name)?)?;
    let version = manifest.get("package").and_then(|package| package.get("rust-version"));
    Ok(format!("{}.0", version.and_then(Value::as_str).context("no rust-version")?))
}

pub(super) fn features(folder: &Path) -> Result<BTreeMap<String, bool>> {
    let mut manifest = manifest(folder)?;
    let features = manifest.remove("features").unwrap_or(Value::Table(Table::new()));
    let mut features: BTreeMap<String, Vec<String>> = features.try_into()?;
    let defaults = features.remove("default").unwrap_or_default();
    Ok(features.into_keys().map(|name| (name.clone(), defaults.contains(&name))).collect())
}

pub(super) fn manifest(folder: &Path) -> Result<Table> {
    let path = folder.join("Cargo.toml");
    read(&path)?.parse().with_context(|| path.display().to_string())
}
