//! libbackoff: building it, and `cargo xtask install`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::shell::{cargo, progress, root, run, target};

/// The C library as cargo builds it.
pub(crate) struct Built {
    shared_library: PathBuf,
    static_library: PathBuf,
}

/// Builds libbackoff.
pub(crate) fn build() -> Result<Built> {
    progress("building libbackoff");
    run(cargo().args(["build", "--locked", "--release", "--package", "bindings-c"]))?;
    let folder = target().join("release");
    Ok(Built {
        shared_library: folder.join("libbackoff.so"),
        static_library: folder.join("libbackoff.a"),
    })
}

/// Builds the library and installs it under the prefix. For packagers the environment variable
/// DESTDIR names a folder in front of the prefix, which the installed files do not contain.
pub(crate) fn install(prefix: &str) -> Result<()> {
    let prefix = std::path::absolute(prefix)?;
    let destination = match std::env::var_os("DESTDIR").filter(|dir| !dir.is_empty()) {
        Some(dir) => PathBuf::from(dir).join(prefix.strip_prefix("/").unwrap_or(&prefix)),
        None => prefix.clone(),
    };
    let built = build()?;
    progress(&format!("installing libbackoff into {}", destination.display()));
    built.put(&prefix, &destination)
}

impl Built {
    /// Puts the header, the libraries and the pkg-config file into the destination, for use under
    /// the prefix.
    pub(crate) fn put(&self, prefix: &Path, destination: &Path) -> Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        let major = env!("CARGO_PKG_VERSION_MAJOR");
        let (include, lib) = (destination.join("include"), destination.join("lib"));
        for folder in [&include, &lib.join("pkgconfig")] {
            fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        copy(&root().join("include/backoff.h"), &include.join("backoff.h"))?;
        copy(&self.static_library, &lib.join("libbackoff.a"))?;
        let file = format!("libbackoff.so.{version}");
        copy(&self.shared_library, &lib.join(&file))?;
        for name in [format!("libbackoff.so.{major}"), "libbackoff.so".to_owned()] {
            link(&file, &lib.join(name))?;
        }
        let template = fs::read_to_string(root().join("bindings-c/backoff.pc.in"))?;
        let filled = template
            .replace("@PREFIX@", &prefix.display().to_string().replace(' ', "\\ "))
            .replace("@VERSION@", version);
        fs::write(lib.join("pkgconfig/backoff.pc"), filled)?;
        Ok(())
    }
}

/// Replaces the file in one step. A program that runs on the old file keeps it.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let fresh = to.with_extension("new");
    fs::copy(from, &fresh).with_context(|| format!("{} to {}", from.display(), to.display()))?;
    fs::rename(&fresh, to)?;
    Ok(())
}

fn link(to: &str, at: &Path) -> Result<()> {
    if at.symlink_metadata().is_ok() {
        fs::remove_file(at)?;
    }
    std::os::unix::fs::symlink(to, at).with_context(|| at.display().to_string())
}
