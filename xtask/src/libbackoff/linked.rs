//! The libraries for Linux, linked from cargo's archive.
//!
//! cargo's archive also has the whole of `compiler_builtins`: functions that the C compiler has too,
//! and references to the unwinder of Rust, which is not there. A program that links all of the
//! archive (`--whole-archive`), as plugins and wrapper libraries do, would not load. So the
//! installed archive is one object, with only the code that libbackoff needs, and only the
//! functions of `backoff.h` are visible in it. Their visibility is hidden: a plugin with the archive
//! inside exports none of them. Its sections are still one for each function, so a linker with
//! `--gc-sections` keeps only what the program calls.
//!
//! The shared library is linked from the same object, because rustc has no way to give symbols a
//! version.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::platform::Platform;
use super::tree::Built;
use crate::shell::{empty, root, run, scratch};

/// Makes both libraries from cargo's archive.
pub(super) fn libraries(archive: &Path, platform: &Platform) -> Result<Built> {
    let names = functions()?;
    let folder = scratch().join("libbackoff").join(platform.name());
    empty(&folder)?;
    let object = folder.join("visible.o");
    let mut link = platform.ld()?;
    link.args(["-r", "-o"]).arg(&object);
    link.args(names.iter().flat_map(|name| ["-u", name])).arg(archive);
    run(&mut link)?;
    let mut hide = platform.objcopy()?;
    hide.arg("--strip-debug");
    hide.args(names.iter().map(|name| format!("--keep-global-symbol={name}"))).arg(&object);
    run(&mut hide)?;
    Ok(Built {
        platform: platform.clone(),
        shared_library: shared(&object, &names, &folder, platform)?,
        static_library: hidden(&object, &names, &folder, platform)?,
        import_library: None,
    })
}

/// The shared library, whose symbols have the version `BACKOFF_` and the major version, as in the
/// SONAME. A function of a later minor version gets a version of its own.
fn shared(object: &Path, names: &[String], folder: &Path, platform: &Platform) -> Result<PathBuf> {
    let major = env!("CARGO_PKG_VERSION_MAJOR");
    let (script, library) = (folder.join("versions.map"), folder.join("libbackoff.so"));
    fs::write(
        &script,
        format!("BACKOFF_{major} {{ global: {}; local: *; }};\n", names.join("; ")),
    )?;
    let mut link = platform.cc()?;
    link.args(["-shared", "-o"]).arg(&library).arg(object);
    link.arg(format!("-Wl,-soname,libbackoff.so.{major}"));
    link.arg(format!("-Wl,--version-script={}", script.display()));
    link.args(["-Wl,--gc-sections", "-Wl,-z,defs", "-Wl,-z,relro", "-Wl,-z,now"]);
    run(&mut link)?;
    Ok(library)
}

/// The archive. An undefined symbol that is hidden makes the definition hidden, too.
fn hidden(object: &Path, names: &[String], folder: &Path, platform: &Platform) -> Result<PathBuf> {
    let (source, references) = (folder.join("hidden.s"), folder.join("hidden.o"));
    let mut text = String::from(".section .note.GNU-stack,\"\",%progbits\n");
    for name in names {
        text.extend([".globl ", name, "\n.hidden ", name, "\n"]);
    }
    fs::write(&source, text)?;
    run(platform.cc()?.args(["-c", "-o"]).arg(&references).arg(&source))?;
    let (whole, archive) = (folder.join("libbackoff.o"), folder.join("libbackoff.a"));
    run(platform.ld()?.args(["-r", "-o"]).arg(&whole).args([object, &references]))?;
    run(platform.ar()?.arg("rcsD").arg(&archive).arg(&whole))?;
    Ok(archive)
}

/// The functions of the header.
pub(super) fn functions() -> Result<Vec<String>> {
    let path = root().join("include/backoff.h");
    let header = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let names: Vec<String> = header.lines().filter_map(declared).map(str::to_owned).collect();
    ensure!(!names.is_empty(), "{} declares nothing", path.display());
    Ok(names)
}

/// The function that begins to be declared on a line.
fn declared(line: &str) -> Option<&str> {
    let (before, _) = line.split_once('(')?;
    let (result, name) = before.rsplit_once([' ', '*'])?;
    let is_declaration = result.starts_with(|first: char| first.is_ascii_lowercase());
    (is_declaration && name.starts_with("backoff_")).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::{declared, functions};
    use crate::shell::root;

    #[test]
    fn functions_begin_a_line() {
        for (line, name) in [
            ("uint32_t backoff_version(void);", Some("backoff_version")),
            ("const char *backoff_code_name(uint32_t code);", Some("backoff_code_name")),
            ("uint32_t backoff_retry(const struct backoff_policy *policy,", Some("backoff_retry")),
            ("  uint32_t (*attempt)(void *context, uint64_t *retry_after_ns);", None),
            ("// (backoff_stream_from_key) or backoff_retry(x)", None),
            ("typedef struct BACKOFF_ALIGNED(8) backoff_params {", None),
            ("#define BACKOFF_ALIGNED(bytes) alignas(bytes)", None),
        ] {
            assert_eq!(declared(line), name, "{line}");
        }
    }

    #[test]
    fn the_functions_are_those_of_the_list() {
        let list = std::fs::read_to_string(root().join("bindings-c/tests/symbols.txt")).unwrap();
        let mut names = functions().unwrap();
        names.sort();
        assert_eq!(names, list.lines().collect::<Vec<_>>());
    }
}
