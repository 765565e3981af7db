//! `cargo xtask dist`: everything that is published, in one folder, with checksums and an SBOM.

mod files;
mod twice;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::archive::epoch;
use crate::languages::python;
use crate::licenses::contents;
use crate::report::Report;
use crate::shell::{command, empty, progress, root, run, scratch, show, stdout, target};
use crate::version;

use files::files;
pub(crate) use twice::check;

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
    fs::write(folder.join(bom()?), stdout(&mut contents("sbom", files(&folder)?))?)?;
    fs::write(folder.join(SUMS), stdout(&mut contents("sums", files(&folder)?))?)?;
    progress(&format!("{} files in {}", files(&folder)?.len(), folder.display()));
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
