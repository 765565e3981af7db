//! `cargo xtask dist`: everything that is published, in one folder, with checksums and an SBOM.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::archive::epoch;
use crate::languages::python;
use crate::licenses::contents;
use crate::report::Report;
use crate::shell::{
    cargo, command, empty, files_below, progress, root, run, scratch, show, stdout, target,
};
use crate::version;

/// The name of the file with the checksums.
const SUMS: &str = "SHA256SUMS";

/// Builds the commit twice, and tries what was built as users would, who have nothing else.
pub(crate) fn test(report: &mut Report) {
    report
        .check("the files that are published are the same bytes when they are built again", check);
    let results = scratch().join("dist-twice/first/dist");
    for language in ["python", "js", "rust", "go", "c", "command"] {
        report.check(&format!("{language}: from the published files alone"), || {
            run(command("python3").arg("tests/consume.py").arg(&results).arg(language))
        });
    }
    report.check("the published checksums and bill of materials are valid", || {
        run(command("sha256sum").args(["--check", "--quiet", SUMS]).current_dir(&results))?;
        let bom = results.join(bom()?);
        run(python::tool("python")?.arg("tests/check_bom.py").arg(bom))
    });
}

/// Writes everything into a folder, which is new or empty, or by default into `dist`.
pub(crate) fn write(folder: Option<&str>) -> Result<()> {
    version::check()?;
    let folder = match folder {
        None => {
            let folder = root().join("dist");
            empty(&folder)?;
            folder
        }
        Some(folder) => {
            ensure!(!folder.is_empty(), "the folder has no name");
            let folder = std::path::absolute(folder)?;
            fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
            let is_empty = fs::read_dir(&folder)?.next().is_none();
            ensure!(is_empty, "{} is not empty", folder.display());
            folder
        }
    };
    build(&folder)?;
    fs::write(folder.join(bom()?), stdout(&mut contents("sbom", files_below(&folder)?))?)?;
    fs::write(folder.join(SUMS), stdout(&mut contents("sums", files_below(&folder)?))?)?;
    progress(&format!("{} files in {}", files_below(&folder)?.len(), folder.display()));
    Ok(())
}

/// The name of the bill of materials.
fn bom() -> Result<String> {
    Ok(format!("backoff-{}.cdx.json", version::present()?))
}

/// Builds the packages from nothing, in a target folder of their own, so that they depend on the
/// commit alone: no flag and no file of another build gets into them.
fn build(folder: &Path) -> Result<()> {
    let place = target().join("dist");
    empty(&place)?;
    show(
        command(std::env::current_exe()?)
            .args(["package", "--out"])
            .arg(folder)
            .env("CARGO_TARGET_DIR", &place)
            .env("CARGO_ENCODED_RUSTFLAGS", without_paths().join("\x1f"))
            .env_remove("RUSTFLAGS")
            .env("SOURCE_DATE_EPOCH", epoch()?.to_string()),
    )
}

/// Flags of rustc that keep the folders of this machine out of what it writes.
fn without_paths() -> [String; 2] {
    let home = std::env::home_dir().unwrap_or_default();
    let cargo = std::env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
    [(cargo, "cargo"), (root().to_owned(), "backoff")]
        .map(|(folder, name)| format!("--remap-path-prefix={}={name}", folder.display()))
}

/// What is not the same each time. In the archive for Windows, rustc names the imports of
/// `bcryptprimitives.dll` after a temporary folder with a random name. The bill has its checksum.
fn differs_each_time(name: &str) -> bool {
    name.starts_with("libbackoff-") && name.ends_with("-windows-gnu.tar.gz")
        || name.ends_with(".cdx.json")
}

/// `cargo xtask dist --check`: fails if a file differs when the commit is built in another folder. Changes
/// that are not committed are not built.
pub(crate) fn check() -> Result<()> {
    let place = scratch().join("dist-twice");
    empty(&place)?;
    let commit = stdout(command("git").args(["rev-parse", "HEAD"]))?;
    let sums = |folder: &str| {
        progress(&format!("building the commit in {folder}"));
        sums_of(commit.trim(), &place.join(folder))
    };
    let (first, second) = (sums("first")?, sums("second/in/another/folder")?);
    let names = first.symmetric_difference(&second).filter_map(|line| line.split("  ").nth(1));
    let different: BTreeSet<_> = names.filter(|name| !differs_each_time(name)).collect();
    ensure!(different.is_empty(), "not the same bytes: {different:?}");
    Ok(())
}

/// What `dist` makes of the commit in a clone: the lines of its checksums.
fn sums_of(commit: &str, clone: &Path) -> Result<BTreeSet<String>> {
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
    let sums = fs::read_to_string(clone.join("dist").join(SUMS))?;
    ensure!(!sums.is_empty(), "no files");
    Ok(sums.lines().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::differs_each_time;

    #[test]
    fn one_archive_and_what_has_its_checksum_differ_each_time() {
        for name in ["libbackoff-0.1.0-x86_64-pc-windows-gnu.tar.gz", "backoff-0.1.0.cdx.json"] {
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
