//! Debian's packages for another machine or of another release, unpacked into a folder: programs
//! and libraries to test with. Nothing is installed.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::fresh;
use crate::shell::{command, empty, progress, run, scratch, stdout};

/// The folder with these packages and all that they need.
pub(crate) fn unpacked(architecture: &str, release: &str, packages: &[&str]) -> Result<PathBuf> {
    let folder = scratch().join("debian").join(format!("{architecture}-{release}"));
    let system = folder.join("system");
    fresh::unless_fresh(&system, &["xtask/src/debian.rs"], || {
        progress(&format!("fetching {} for {architecture}", packages.join(" ")));
        for part in ["lists/partial", "cache/archives/partial", "sources"] {
            empty(&folder.join(part))?;
        }
        // No package is installed there.
        fs::write(folder.join("status"), "")?;
        let source = format!(
            "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {} {release} main\n",
            archive()?
        );
        fs::write(folder.join("sources/debian.list"), source)?;
        let apt = || {
            let mut apt = command("apt-get");
            for option in [
                format!("APT::Architecture={architecture}"),
                format!("APT::Architectures={architecture}"),
                "APT::Install-Recommends=false".into(),
                format!("Dir::State::lists={}", folder.join("lists").display()),
                format!("Dir::State::status={}", folder.join("status").display()),
                format!("Dir::Cache={}", folder.join("cache").display()),
                "Dir::Etc::sourcelist=/dev/null".into(),
                format!("Dir::Etc::sourceparts={}", folder.join("sources").display()),
            ] {
                apt.args(["-o", &option]);
            }
            apt
        };
        run(apt().arg("update"))?;
        run(apt().args(["--yes", "--download-only", "install"]).args(packages))?;
        empty(&system)?;
        for entry in fs::read_dir(folder.join("cache/archives"))? {
            let package = entry?.path();
            if package.extension().is_some_and(|end| end == "deb") {
                run(command("dpkg").arg("-x").arg(package).arg(&system))?;
            }
        }
        Ok(())
    })?;
    Ok(system)
}

/// Where this machine gets its packages from.
fn archive() -> Result<String> {
    let mut list = command("apt-get");
    list.args(["indextargets", "--format", "$(REPO_URI)", "Label: Debian", "Created-By: Packages"]);
    let lines = stdout(&mut list)?;
    lines.lines().next().map(str::to_owned).context("apt-get knows no archive of Debian")
}
