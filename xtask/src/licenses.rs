//! The licenses of the other projects whose code a package contains. They ask everyone who gives the
//! package away to pass them on.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::languages::go::engine;
use crate::linked::{Crate, linked};
use crate::shell::{WASM, cargo, root, stdout};

/// The file in a package.
pub(crate) const FILE: &str = "LICENSES-OF-CRATES";

const NATIVE: [&str; 4] = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-musl",
    "x86_64-pc-windows-gnu",
    "aarch64-apple-darwin",
];

/// The packages whose file is committed: their folder, the crate, and its targets.
const PACKAGES: [(&str, &str, &[&str]); 4] = [
    ("bindings-c", "bindings-c", &NATIVE),
    ("bindings-go", "bindings-c", &[WASM]),
    ("bindings-python", "bindings-python", &NATIVE),
    ("bindings-wasm", "bindings-wasm", &[WASM]),
];

/// The license that most crates offer, without its copyright.
const MIT: &str = "LICENSE-MIT";

/// The committed files.
pub(crate) fn pages() -> Result<Vec<(PathBuf, String)>> {
    let page_of = |(folder, package, targets)| {
        let mut texts = of_crates(package, targets)?;
        if folder == "bindings-go" {
            // It writes functions of its own into what it translates.
            texts.entry(engine::license()?).or_default().insert("wasm2go".to_owned());
        }
        Ok((Path::new(folder).join(FILE), page(texts)?))
    };
    PACKAGES.into_iter().map(page_of).collect()
}

/// A package as `cargo metadata` describes it.
#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    authors: Vec<String>,
    manifest_path: PathBuf,
    /// Nothing for the packages of this project.
    source: Option<String>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// The licenses of what is linked into a crate of this project for these targets.
pub(crate) fn of_binaries(package: &str, targets: &[&str]) -> Result<String> {
    page(of_crates(package, targets)?)
}

/// Many projects have the same text, which is there once.
type Texts = BTreeMap<String, BTreeSet<String>>;

fn of_crates(package: &str, targets: &[&str]) -> Result<Texts> {
    let mut crates = BTreeMap::new();
    for target in targets {
        crates.extend(linked(package, target)?);
    }
    let metadata = stdout(cargo().args(["metadata", "--locked", "--format-version", "1"]))?;
    let Metadata { packages } = serde_json::from_str(&metadata)?;
    let is_linked = |package: &&Package| {
        let (name, version) = (package.name.clone(), package.version.clone());
        package.source.is_some() && crates.contains_key(&Crate { name, version })
    };
    let mut texts = Texts::new();
    let standard_library = mit("The Rust Project Contributors")?;
    texts.entry(standard_library).or_default().insert("the standard library of Rust".to_owned());
    for package in packages.iter().filter(is_linked) {
        for text in license(package)? {
            let name = format!("{} {}", package.name, package.version);
            texts.entry(text.trim_end().to_owned()).or_default().insert(name);
        }
    }
    Ok(texts)
}

fn page(texts: Texts) -> Result<String> {
    let mut page =
        "This package contains code of these projects, under these licenses.\n".to_owned();
    for (text, names) in texts {
        let names: Vec<String> = names.into_iter().collect();
        write!(page, "\n{}\n{}:\n\n{text}\n", "=".repeat(80), names.join(", "))?;
    }
    Ok(page)
}

/// The texts of a crate: the MIT license where it offers a choice.
fn license(package: &Package) -> Result<Vec<String>> {
    let folder = package.manifest_path.parent().context("a folder")?;
    let mut files = license_files(folder)?;
    if let Some(mit) = files.iter().position(|path| path.ends_with(MIT)) {
        files = vec![files.swap_remove(mit)];
    }
    if files.is_empty() && package.license.as_deref() == Some("MIT") {
        return Ok(vec![mit(&package.authors.join(", "))?]);
    }
    ensure!(!files.is_empty(), "{} has no file with its license", package.name);
    let read = |path: PathBuf| fs::read_to_string(&path).context(path.display().to_string());
    files.into_iter().map(read).collect()
}

/// The MIT license of other authors.
fn mit(authors: &str) -> Result<String> {
    let ours = fs::read_to_string(root().join(MIT))?;
    let (_, permission) = ours.split_once("\n\nPermission").context("the text of the license")?;
    Ok(format!("MIT License\n\nCopyright (c) {authors}\n\nPermission{permission}").trim().into())
}

fn license_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let names = ["license", "licence", "copying", "copyright", "notice", "unlicense"];
        if path.is_file() && names.iter().any(|start| name.starts_with(start)) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
