//! What the archives of the crates contain.

use std::collections::{BTreeMap, BTreeSet};

use crate::languages::rust::packaged::{CRATES, archive, features, manifest, packaged, versioned};
use crate::report::Report;
use crate::shell::*;

const KEYS: &str =
    "description license repository homepage documentation readme keywords categories rust-version";

/// The files of every crate beside its source, the last three by cargo.
const FILES: &str = "Cargo.toml LICENSE-APACHE LICENSE-MIT README.md .cargo_vcs_info.json Cargo.lock Cargo.toml.orig";

/// The files that the command has in addition: the schema of its output, the
/// requests of `backoff verify`, and the presets for a test.
const FILES_OF_THE_COMMAND: &str =
    "tools/cli/schema.json tests/vectors/presets.json tests/vectors/requests.jsonl";

pub(super) fn test(report: &mut Report) {
    for (name, folder) in CRATES {
        report.check(&format!("{name} contains its source, its licenses and no more"), || {
            let (found, expected) = (contents(name)?, expected(name, folder)?);
            let differ: Vec<_> = found.symmetric_difference(&expected).collect();
            Ok(ensure!(differ.is_empty(), "too much or missing: {differ:?}"))
        });
        report.check(&format!("{name} says what the registry and docs.rs show"), || {
            let manifest = manifest(&packaged(name)?)?;
            let package = manifest.get("package").context("no package")?;
            for key in KEYS.split(' ') {
                package.get(key).with_context(|| format!("no {key}"))?;
            }
            let docs = package.get("metadata").and_then(|metadata| metadata.get("docs")?.get("rs"));
            docs.and_then(|docs| docs.get("targets")).context("no target for docs.rs")?;
            Ok(())
        });
        report.check(&format!("the page of {name} lists its features"), || {
            let folder = packaged(name)?;
            let (documented, declared) = (documented(&folder)?, features(&folder)?);
            Ok(ensure!(documented == declared, "documented {documented:?}, declared {declared:?}"))
        });
    }
}

fn contents(name: &str) -> Result<BTreeSet<String>> {
    packaged(name)?;
    let list = program("tar -tzf").arg(archive(name)).stdout()?;
    let folder = versioned(name) + "/";
    let path = |path: &str| Ok(path.strip_prefix(&folder).context(path.to_owned())?.to_owned());
    list.lines().map(path).collect()
}

/// The files that users need: those of the source in Git, and the list above.
fn expected(name: &str, folder: &str) -> Result<BTreeSet<String>> {
    let more = if name == "backoff-cli" { FILES_OF_THE_COMMAND } else { "" };
    let list = program(&format!("git ls-files {folder}/src {folder}/docs {more}")).stdout()?;
    let begins = [format!("{folder}/"), "tests/".to_owned()];
    let path = |line: &str| {
        let path = begins.iter().find_map(|begin| line.strip_prefix(begin));
        Ok(path.context("a file of the crate")?.to_owned())
    };
    let files = FILES.split(' ').map(|file| Ok(file.to_owned()));
    list.lines().map(path).chain(files).collect()
}

/// The rows of the table of features in a README.
fn documented(folder: &Path) -> Result<BTreeMap<String, bool>> {
    let page = read(folder.join("README.md"))?;
    let section = page.lines().skip_while(|line| *line != "## Features").skip(1);
    let rows = section.take_while(|line| !line.starts_with("## ")).filter_map(|line| {
        let (name, rest) = line.strip_prefix("| `")?.split_once("` | ")?;
        Some((name.to_owned(), rest.starts_with("yes |")))
    });
    Ok(rows.collect())
}
