//! What the archives of the crates contain.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use toml::Value;

use crate::languages::rust::packaged::{CRATES, archive, manifest, packaged, versioned};
use crate::report::Report;
use crate::shell::{command, root, stdout};

/// What the registry shows of a crate.
const KEYS: [&str; 9] = [
    "description",
    "license",
    "repository",
    "homepage",
    "documentation",
    "readme",
    "keywords",
    "categories",
    "rust-version",
];

/// The files of every crate beside its source, the last three by cargo.
const FILES: [&str; 7] = [
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    ".cargo_vcs_info.json",
    "Cargo.lock",
    "Cargo.toml.orig",
];

/// The files that the command has in addition: the schema of its output, the
/// requests of `backoff verify`, and the presets for a test.
const FILES_OF_THE_COMMAND: [&str; 3] =
    ["tools/cli/schema.json", "tests/vectors/presets.json", "tests/vectors/requests.jsonl"];

pub(super) fn test(report: &mut Report) {
    for (name, folder) in CRATES {
        report.check(&format!("{name} contains its source, its licenses and no more"), || {
            let found = contents(name)?;
            let expected = expected(name, folder)?;
            let differ: Vec<_> = found.symmetric_difference(&expected).collect();
            ensure!(differ.is_empty(), "too much or missing: {differ:?}");
            Ok(())
        });
        report.check(&format!("{name} says what the registry and docs.rs show"), || {
            let manifest = manifest(&packaged(name)?)?;
            let package = manifest.get("package").and_then(Value::as_table).context("a package")?;
            for key in KEYS {
                ensure!(package.contains_key(key), "no {key}");
            }
            let docs = package.get("metadata").and_then(|metadata| metadata.get("docs"));
            let targets = docs.and_then(|docs| docs.get("rs")?.get("targets"));
            ensure!(targets.is_some(), "no target for docs.rs");
            Ok(())
        });
    }
}

/// The files of an archive.
fn contents(name: &str) -> Result<BTreeSet<String>> {
    packaged(name)?;
    let list = stdout(command("tar").arg("-tzf").arg(archive(name)))?;
    let folder = versioned(name) + "/";
    list.lines()
        .map(|path| Ok(path.strip_prefix(&folder).context(path.to_owned())?.to_owned()))
        .collect()
}

/// The files that users need: those of the source in Git, and the list above.
fn expected(name: &str, folder: &str) -> Result<BTreeSet<String>> {
    let mut paths = vec![format!("{folder}/src"), format!("{folder}/docs")];
    if name == "backoff-cli" {
        paths.extend(FILES_OF_THE_COMMAND.map(str::to_owned));
    }
    let list = stdout(command("git").arg("ls-files").args(paths).current_dir(root()))?;
    let path = |line: &str| {
        let line = line.strip_prefix("tests/").or(line.strip_prefix(&format!("{folder}/")));
        Ok(line.context("a file of the crate")?.to_owned())
    };
    let files = FILES.map(|file| Ok(file.to_owned()));
    list.lines().map(path).chain(files).collect()
}
