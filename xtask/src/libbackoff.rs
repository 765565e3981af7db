//! libbackoff: building it, and `cargo xtask install`.
//!
//! cargo's archive also has the whole of `compiler_builtins`: functions that the C compiler has too,
//! and references to the unwinder of Rust, which is not there. A program that links all of the
//! archive (`--whole-archive`), as plugins and wrapper libraries do, would not load. So the
//! installed archive is one object, with only the code that libbackoff needs, and only the
//! functions of `backoff.h` are visible in it. Its sections are still one for each function, so a
//! linker with `--gc-sections` keeps only what the program calls.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::shell::{cargo, command, empty, progress, root, run, scratch, stdout, target};

/// The C library, ready to be installed.
pub(crate) struct Built {
    shared_library: PathBuf,
    static_library: PathBuf,
}

/// Builds libbackoff.
pub(crate) fn build() -> Result<Built> {
    progress("building libbackoff");
    run(cargo().args(["build", "--locked", "--release", "--package", "bindings-c"]))?;
    let folder = target().join("release");
    let shared_library = folder.join("libbackoff.so");
    let static_library = one_object(&folder.join("libbackoff.a"), &shared_library)?;
    Ok(Built { shared_library, static_library })
}

/// Makes an archive of one object from cargo's: what the functions of the shared library need, and
/// no other global symbol.
fn one_object(archive: &Path, shared_library: &Path) -> Result<PathBuf> {
    let names = functions(shared_library)?;
    let folder = scratch().join("static");
    empty(&folder)?;
    let (object, made) = (folder.join("libbackoff.o"), folder.join("libbackoff.a"));
    let mut link = command("ld");
    link.args(["-r", "-o"]).arg(&object);
    link.args(names.iter().flat_map(|name| ["-u", name])).arg(archive);
    run(&mut link)?;
    let mut hide = command("objcopy");
    hide.arg("--strip-debug");
    hide.args(names.iter().map(|name| format!("--keep-global-symbol={name}"))).arg(&object);
    run(&mut hide)?;
    run(command("ar").arg("rcsD").arg(&made).arg(&object))?;
    Ok(made)
}

/// The functions that the shared library exports.
fn functions(shared_library: &Path) -> Result<Vec<String>> {
    let mut list = command("nm");
    list.args(["-D", "--defined-only", "--format=posix"]).arg(shared_library);
    let names: Vec<_> = stdout(&mut list)?
        .lines()
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .collect();
    ensure!(!names.is_empty(), "{} exports nothing", shared_library.display());
    Ok(names)
}

/// Builds the library and installs it under the prefix. For packagers the environment variable
/// DESTDIR names a folder in front of the prefix.
pub(crate) fn install(prefix: &str) -> Result<()> {
    let prefix = std::path::absolute(prefix)?;
    let destination = match std::env::var_os("DESTDIR").filter(|dir| !dir.is_empty()) {
        Some(dir) => PathBuf::from(dir).join(prefix.strip_prefix("/").unwrap_or(&prefix)),
        None => prefix,
    };
    let built = build()?;
    progress(&format!("installing libbackoff into {}", destination.display()));
    built.put(&destination)
}

impl Built {
    /// Puts the header, the libraries and the pkg-config file into the destination. No file holds
    /// the path, so the folder can be moved.
    pub(crate) fn put(&self, destination: &Path) -> Result<()> {
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
        fs::write(lib.join("pkgconfig/backoff.pc"), template.replace("@VERSION@", version))?;
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
