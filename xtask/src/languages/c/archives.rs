//! The published archives of libbackoff.

use std::fs;
use std::path::PathBuf;

use anyhow::{Result, ensure};

use crate::archive;
use crate::libbackoff::{self, Platform};
use crate::licenses;
use crate::report::Report;
use crate::shell::{command, copy_files, empty, root, scratch, stdout};

/// An archive has what users need, and the same bytes if it is made again. Its page has no links to
/// files of the repository by their paths, because the archive does not have them.
pub(super) fn packed(report: &mut Report) {
    report.check("C: archives have the same bytes again, the page and the licences", || {
        let platform = Platform::host()?;
        let path = packed_for(&platform)?;
        let first = fs::read(&path)?;
        ensure!(first == fs::read(packed_for(&platform)?)?, "other bytes");
        let names = stdout(command("tar").arg("-tzf").arg(&path))?;
        for name in [
            "LICENSE-APACHE",
            "LICENSE-MIT",
            licenses::FILE,
            "README.md",
            "docs/retry.md",
            "include/backoff.h",
            "lib/libbackoff.so",
        ] {
            ensure!(names.lines().any(|line| line.ends_with(name)), "no {name} in\n{names}");
        }
        let page = fs::read_to_string(root().join("bindings-c/README.md"))?;
        let mut is_code = false;
        for line in page.lines() {
            is_code ^= line.starts_with("```");
            for link in line.split("](").skip(1) {
                ensure!(is_code || link.starts_with('#') || link.starts_with("https://"), "{line}");
            }
        }
        Ok(())
    });
}

/// The installed trees as archives with the same bytes for the same files.
pub(super) fn archives(platforms: &[&str]) -> Result<Vec<PathBuf>> {
    platforms.iter().map(|name| packed_for(&Platform::named(name)?)).collect()
}

/// The archive for a platform.
pub(super) fn packed_for(platform: &Platform) -> Result<PathBuf> {
    let name = format!("libbackoff-{}-{}", env!("CARGO_PKG_VERSION"), platform.triple());
    let place = scratch().join("c-archives");
    let folder = place.join(&name);
    empty(&folder)?;
    libbackoff::build(platform)?.put(&folder)?;
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        fs::copy(root().join(licence), folder.join(licence))?;
    }
    for file in ["README.md", licenses::FILE] {
        fs::copy(root().join("bindings-c").join(file), folder.join(file))?;
    }
    copy_files("bindings-c/docs", &folder.join("docs"))?;
    let path = place.join(format!("{name}.tar.gz"));
    archive::tar_gz(&folder, &path)?;
    Ok(path)
}
