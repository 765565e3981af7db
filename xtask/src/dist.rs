//! `cargo xtask package` and `dist`: the files that are published, in one folder, with checksums and an SBOM.

use std::collections::BTreeSet;

use crate::archive::epoch;
use crate::languages::{ALL, Platforms, python};
use crate::licenses::contents;
use crate::report::Report;
use crate::shell::{write as write_file, *};
use crate::{crates, program, version};

const SUMS: &str = "SHA256SUMS";

pub(crate) fn package(folder: &str, platforms: Platforms) -> Result<()> {
    ensure!(!folder.is_empty(), "the folder has no name");
    let folder = std::path::absolute(folder)?;
    let mut packages = program::packages(platforms)?;
    for language in &ALL {
        packages.extend((language.packages)(platforms)?);
    }
    for package in packages {
        let path = folder.join(package.file_name().context("a package is a file")?);
        copy(&package, &path)?;
        progress(&path.display().to_string());
    }
    Ok(())
}

/// Builds the commit twice, and tries what was built as users would, who have nothing else.
pub(crate) fn test(report: &mut Report) {
    report
        .check("the files that are published are the same bytes when they are built again", check);
    let results = scratch().join("dist-twice/first/dist");
    for language in ["python", "js", "rust", "go", "c", "command"] {
        report.check(&format!("{language}: from the published files alone"), || {
            python3("tests/release/consume.py").arg(&results).arg(language).run()
        });
    }
    report.check("the published checksums and bill of materials are valid", || {
        program("sha256sum --check --quiet").arg(SUMS).within(&results).run()?;
        python::tool("python")?.arg("tests/release/check_bom.py").arg(results.join(bom()?)).run()
    });
}

/// Writes everything into the folder `dist`.
pub(crate) fn write() -> Result<()> {
    version::check()?;
    let folder = root().join("dist");
    empty(&folder)?;
    build(&folder)?;
    for (verb, name) in [("sbom", bom()?), ("sums", SUMS.to_owned())] {
        write_file(folder.join(name), contents(verb, files_below(&folder)?).stdout()?)?;
    }
    progress(&format!("{} files in {}", files_below(&folder)?.len(), folder.display()));
    Ok(())
}

fn bom() -> Result<String> {
    Ok(format!("backoff-{}.cdx.json", version::present()?))
}

/// Builds the packages from nothing, in a target folder of their own, so that they depend on the
/// commit alone: no flag and no file of another build gets into them.
fn build(folder: &Path) -> Result<()> {
    let place = target().join("dist");
    empty(&place)?;
    program("env -u RUSTFLAGS")
        .arg(std::env::current_exe()?)
        .args(["package", "--out"])
        .arg(folder)
        .env("CARGO_TARGET_DIR", &place)
        .env("CARGO_ENCODED_RUSTFLAGS", crates::without_paths("cargo", "backoff"))
        .env("SOURCE_DATE_EPOCH", epoch()?.to_string())
        .show()
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
    let commit = program("git rev-parse HEAD").stdout()?;
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
    program("git clone --quiet --no-tags").arg(root()).arg(clone).run()?;
    program("git checkout --quiet --detach").arg(commit).within(clone).run()?;
    let xtask = cargo("run --quiet --locked --package xtask -- dist");
    xtask.env("CARGO_TARGET_DIR", clone.join("target")).within(clone).show()?;
    // The tools of the build are larger than what is compared.
    fs::remove_dir_all(clone.join("target"))?;
    let sums = read(clone.join("dist").join(SUMS))?;
    ensure!(!sums.is_empty(), "no files");
    Ok(sums.lines().map(str::to_owned).collect())
}

#[cfg(test)]
#[test]
fn only_what_contains_a_random_name_differs_each_time() {
    for (name, differs) in [
        ("libbackoff-0.1.0-x86_64-pc-windows-gnu.tar.gz", true),
        ("backoff-0.1.0.cdx.json", true),
        ("backoff-0.1.0-x86_64-pc-windows-gnu.tar.gz", false),
        ("libbackoff-0.1.0-x86_64-unknown-linux-gnu.tar.gz", false),
    ] {
        assert_eq!(differs_each_time(name), differs, "{name}");
    }
}
