//! The installed files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::platform::Platform;
use crate::shell::{root, symlink};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Templates in `bindings-c`, and where their files are installed.
const TEMPLATES: [(&str, &str); 3] = [
    ("backoff.pc.in", "lib/pkgconfig/backoff.pc"),
    ("cmake/backoff-config.cmake.in", "lib/cmake/backoff/backoff-config.cmake"),
    ("cmake/backoff-config-version.cmake.in", "lib/cmake/backoff/backoff-config-version.cmake"),
];

/// Other files of the project, and where they are installed.
const FILES: [(&str, &str); 3] = [
    ("include/backoff.h", "include/backoff.h"),
    ("include/backoff.hpp", "include/backoff.hpp"),
    ("bindings-c/valgrind.supp", "share/backoff/valgrind.supp"),
];

/// The folder whose files are installed as examples, and where.
const EXAMPLES: (&str, &str) = ("bindings-c/examples", "share/backoff/examples");

/// The C library, ready to be installed.
pub(crate) struct Built {
    pub(super) platform: Platform,
    /// `libbackoff.so`, `libbackoff.dylib` or `backoff.dll`.
    pub(super) shared_library: PathBuf,
    pub(super) static_library: PathBuf,
    /// With which programs for Windows link the DLL.
    pub(super) import_library: Option<PathBuf>,
}

impl Built {
    /// Puts the headers, the libraries, and the files for pkg-config and CMake into the destination.
    /// No file holds the path, so the folder can be moved.
    pub(crate) fn put(&self, destination: &Path) -> Result<()> {
        for (from, to) in FILES {
            copy(&root().join(from), &destination.join(to))?;
        }
        let (from, to) = EXAMPLES;
        for example in fs::read_dir(root().join(from))? {
            let example = example?;
            copy(&example.path(), &destination.join(to).join(example.file_name()))?;
        }
        for (from, to) in TEMPLATES {
            let path = root().join("bindings-c").join(from);
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            let to = destination.join(to);
            make_folder_of(&to)?;
            fs::write(to, fill_in(&text, &self.platform))?;
        }
        let lib = destination.join("lib");
        copy(&self.static_library, &lib.join("libbackoff.a"))?;
        // Windows searches for a DLL where programs are.
        let shared = if self.platform.is_windows() { destination.join("bin") } else { lib.clone() };
        let (file, links) = self.platform.shared_names();
        copy(&self.shared_library, &shared.join(&file))?;
        for name in links {
            link(&file, &shared.join(name))?;
        }
        if let (Some(from), Some(name)) = (&self.import_library, self.platform.import_library()) {
            copy(from, &lib.join(name))?;
        }
        Ok(())
    }
}

/// A template with the version, and what depends on the platform. `bindings-c/build.rs` fills in the
/// same for `cargo cinstall`.
fn fill_in(template: &str, platform: &Platform) -> String {
    template
        .replace("@VERSION@", VERSION)
        .replace("@MAJOR@", env!("CARGO_PKG_VERSION_MAJOR"))
        .replace("@MINOR@", env!("CARGO_PKG_VERSION_MINOR"))
        .replace("@POINTER_BYTES@", &platform.pointer_bytes().to_string())
}

/// Replaces the file in one step. A program that runs on the old file keeps it.
fn copy(from: &Path, to: &Path) -> Result<()> {
    make_folder_of(to)?;
    let fresh = to.with_extension("new");
    fs::copy(from, &fresh).with_context(|| format!("{} to {}", from.display(), to.display()))?;
    fs::rename(&fresh, to)?;
    Ok(())
}

fn make_folder_of(file: &Path) -> Result<()> {
    let folder = file.parent().context("a file is in a folder")?;
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())
}

fn link(to: &str, at: &Path) -> Result<()> {
    if at.symlink_metadata().is_ok() {
        fs::remove_file(at)?;
    }
    symlink(to, at)
}
