//! The installed files.

use super::platform::Platform;
use super::template::fill_in;
use crate::shell::*;
use header::Header;

/// Templates in `bindings-c`, and where their files are installed.
const TEMPLATES: [(&str, &str); 3] = [
    ("backoff.pc.in", "lib/pkgconfig/backoff.pc"),
    ("cmake/backoff-config.cmake.in", "lib/cmake/backoff/backoff-config.cmake"),
    ("cmake/backoff-config-version.cmake.in", "lib/cmake/backoff/backoff-config-version.cmake"),
];

/// Other files of the project, and where they are installed.
const FILES: [(&str, &str); 6] = [
    ("include/backoff.h", "include/backoff.h"),
    ("include/backoff.hpp", "include/backoff.hpp"),
    ("include/backoff.ffi.h", "share/backoff/backoff.ffi.h"),
    ("include/abi.json", "share/backoff/abi.json"),
    ("bindings-c/conanfile.py", "share/backoff/conanfile.py"),
    ("bindings-c/valgrind.supp", "share/backoff/valgrind.supp"),
];

/// The folder whose files, and those below it, are installed as examples, and where.
const EXAMPLES: (&str, &str) = ("bindings-c/examples", "share/backoff/examples");

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
            put(&root().join(from), &destination.join(to))?;
        }
        let (from, to) = EXAMPLES;
        let examples = root().join(from);
        for example in files_below(&examples)? {
            put(&example, &destination.join(to).join(example.strip_prefix(&examples)?))?;
        }
        for (from, to) in TEMPLATES {
            let text = read(Path::new("bindings-c").join(from))?;
            write(destination.join(to), fill_in(&text, self.platform.pointer_bytes()))?;
        }
        for (name, page) in Header::read()?.manual() {
            write(destination.join("share/man/man3").join(name), page)?;
        }
        let lib = destination.join("lib");
        put(&self.static_library, &lib.join("libbackoff.a"))?;
        // Windows searches for a DLL where programs are.
        let shared = if self.platform.is_windows() { destination.join("bin") } else { lib.clone() };
        if let [file, links @ ..] = &self.platform.shared_names()[..] {
            put(&self.shared_library, &shared.join(file))?;
            links.iter().try_for_each(|name| symlink(file, &shared.join(name)))?;
        }
        if let (Some(from), Some(name)) = (&self.import_library, self.platform.import_library()) {
            put(from, &lib.join(name))?;
        }
        Ok(())
    }
}

/// Replaces the file in one step. A program that runs on the old file keeps it.
fn put(from: &Path, to: &Path) -> Result<()> {
    let fresh = to.with_extension("new");
    copy(from, &fresh)?;
    Ok(fs::rename(&fresh, to)?)
}
