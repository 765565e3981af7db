//! `cargo xtask dist --check`: the commit is built twice, in different folders, and the files are
//! compared.

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};

use super::files::{files, name};
use crate::shell::{cargo, command, empty, progress, root, run, scratch, show, stdout};

/// What is not the same each time. In the archive for Windows, rustc names the imports of
/// `bcryptprimitives.dll` after a temporary folder with a random name. The others have its checksum.
fn differs_each_time(name: &str) -> bool {
    name.starts_with("libbackoff-") && name.ends_with("-windows-gnu.tar.gz")
        || name.ends_with(".cdx.json")
        || name == "SHA256SUMS"
}

/// Fails if a file of the two builds differs. Changes that are not committed are not built.
pub(crate) fn check() -> Result<()> {
    let place = scratch().join("dist-twice");
    empty(&place)?;
    let commit = stdout(command("git").args(["rev-parse", "HEAD"]))?;
    let [first, second] = ["first", "second/in/another/folder"].map(|name| place.join(name));
    for clone in [&first, &second] {
        progress(&format!("building the commit in {}", clone.display()));
        build(commit.trim(), clone)?;
    }
    let mut different = different(&first.join("dist"), &second.join("dist"))?;
    different.retain(|name| !differs_each_time(name));
    ensure!(different.is_empty(), "not the same bytes: {}", different.join(", "));
    Ok(())
}

fn build(commit: &str, clone: &Path) -> Result<()> {
    run(command("git").args(["clone", "--quiet", "--no-tags"]).arg(root()).arg(clone))?;
    run(command("git").args(["checkout", "--quiet", "--detach", commit]).current_dir(clone))?;
    show(
        cargo()
            .args(["run", "--quiet", "--locked", "--package", "xtask", "--", "dist"])
            .env_remove("CARGO_TARGET_DIR")
            .current_dir(clone),
    )?;
    // The tools of the build are larger than what is compared.
    fs::remove_dir_all(clone.join("target"))?;
    Ok(())
}

/// The names of the files that are not in both folders with the same content.
fn different(first: &Path, second: &Path) -> Result<Vec<String>> {
    let mut different = Vec::new();
    let (files, others) = (files(first)?, files(second)?);
    ensure!(!files.is_empty(), "no files");
    for file in files.iter().chain(&others) {
        let [a, b] = [first, second].map(|folder| Ok(folder.join(name(file)?)));
        let (a, b): (Result<_>, Result<_>) = (a, b);
        if fs::read(a?).ok() != fs::read(b?).ok() {
            different.push(name(file)?.to_owned());
        }
    }
    different.sort();
    different.dedup();
    Ok(different)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{different, differs_each_time};
    use crate::shell::{empty, scratch};

    #[test]
    fn missing_files_and_other_bytes_are_different() {
        let place = scratch().join("different-test");
        let [first, second] = ["first", "second"].map(|name| place.join(name));
        for folder in [&first, &second] {
            empty(folder).unwrap();
            fs::write(folder.join("same"), "1").unwrap();
        }
        assert!(different(&first, &second).unwrap().is_empty());
        fs::write(first.join("changed"), "1").unwrap();
        fs::write(second.join("changed"), "2").unwrap();
        fs::write(second.join("new"), "1").unwrap();
        assert_eq!(different(&first, &second).unwrap(), ["changed", "new"]);
    }

    #[test]
    fn one_archive_and_what_has_its_checksum_differ_each_time() {
        for name in [
            "libbackoff-0.1.0-x86_64-pc-windows-gnu.tar.gz",
            "backoff-0.1.0.cdx.json",
            "SHA256SUMS",
        ] {
            assert!(differs_each_time(name), "{name}");
        }
        for name in [
            "backoff-0.1.0-x86_64-pc-windows-gnu.tar.gz",
            "libbackoff-0.1.0-x86_64-unknown-linux-gnu.tar.gz",
            "backoff_rs-0.1.0-cp311-abi3-win_amd64.whl",
        ] {
            assert!(!differs_each_time(name), "{name}");
        }
    }
}
