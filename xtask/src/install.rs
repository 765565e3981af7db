//! `cargo xtask install`: libbackoff where C programs look for it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::languages::c;
use crate::shell::{progress, root};

/// Builds the library and puts it under the prefix; under DESTDIR, for packagers, without
/// the installed files knowing of it.
pub(crate) fn run(prefix: &str) -> Result<()> {
    let prefix = std::path::absolute(prefix)?;
    let destination = match std::env::var_os("DESTDIR").filter(|dir| !dir.is_empty()) {
        Some(dir) => PathBuf::from(dir).join(prefix.strip_prefix("/").unwrap_or(&prefix)),
        None => prefix.clone(),
    };
    let built = c::build()?;
    progress(&format!("installing libbackoff into {}", destination.display()));
    put(&built, &prefix, &destination)
}

/// Puts the header, the libraries and the pkg-config file in place.
pub(crate) fn put(built: &c::Built, prefix: &Path, destination: &Path) -> Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    let major = env!("CARGO_PKG_VERSION_MAJOR");
    let (include, lib) = (destination.join("include"), destination.join("lib"));
    for folder in [&include, &lib.join("pkgconfig")] {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    copy(&root().join("include/backoff.h"), &include.join("backoff.h"))?;
    copy(&built.static_library, &lib.join("libbackoff.a"))?;
    let file = format!("libbackoff.so.{version}");
    copy(&built.shared_library, &lib.join(&file))?;
    for name in [format!("libbackoff.so.{major}"), "libbackoff.so".to_owned()] {
        link(&file, &lib.join(name))?;
    }
    let template = fs::read_to_string(root().join("bindings-c/backoff.pc.in"))?;
    let filled =
        template.replace("@PREFIX@", &prefix.display().to_string()).replace("@VERSION@", version);
    fs::write(lib.join("pkgconfig/backoff.pc"), filled)?;
    Ok(())
}

/// Replaces the file as a whole, so that a program that runs on the old one goes on with it.
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
