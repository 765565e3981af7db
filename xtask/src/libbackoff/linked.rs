//! The libraries for Linux, linked from cargo's archive.
//!
//! cargo's archive also has the whole of `compiler_builtins`: functions that the C compiler has too,
//! and references to the unwinder of Rust, which is not there. A program that links all of the
//! archive (`--whole-archive`), as plugins and wrapper libraries do, would not load. So the
//! installed archive is one object, with only the code that libbackoff needs, and only the
//! functions of `symbols.map` are visible in it. Their visibility is hidden: a plugin with the archive
//! inside exports none of them. Its sections are still one for each function, so a linker with
//! `--gc-sections` keeps only what the program calls.
//!
//! The shared library is linked from the same object, because rustc has no way to give symbols a
//! version.

use super::platform::Platform;
use super::template::so_version;
use super::tree::Built;
use crate::shell::*;

/// The functions of the library, with their symbol versions.
const SYMBOLS: &str = "bindings-c/symbols.map";

pub(super) fn libraries(archive: &Path, platform: &Platform) -> Result<Built> {
    let names = functions()?;
    let folder = scratch().join("libbackoff").join(platform.name());
    empty(&folder)?;
    let object = folder.join("visible.o");
    let undefined = names.iter().flat_map(|name| ["-u", name]);
    platform.ld()?.words("-r -o").arg(&object).args(undefined).arg(archive).run()?;
    let visible = names.iter().map(|name| format!("--keep-global-symbol={name}"));
    platform.objcopy()?.arg("--strip-debug").args(visible).arg(&object).run()?;
    Ok(Built {
        platform: platform.clone(),
        shared_library: shared(&object, &folder, platform)?,
        static_library: hidden(&object, &names, &folder, platform)?,
        import_library: None,
    })
}

/// The shared library, whose symbols have the versions of the list.
fn shared(object: &Path, folder: &Path, platform: &Platform) -> Result<PathBuf> {
    let library = folder.join("libbackoff.so");
    let link = platform.cc()?.words("-shared -o").arg(&library).arg(object);
    let link = link.arg(format!("-Wl,-soname,libbackoff.so.{}", so_version()));
    let link = link.arg(format!("-Wl,--version-script={SYMBOLS}"));
    link.words("-Wl,--gc-sections -Wl,-z,defs -Wl,-z,relro -Wl,-z,now").run()?;
    Ok(library)
}

/// The archive. An undefined symbol that is hidden makes the definition hidden, too.
fn hidden(object: &Path, names: &[String], folder: &Path, platform: &Platform) -> Result<PathBuf> {
    let (source, references) = (folder.join("hidden.s"), folder.join("hidden.o"));
    let mut text = String::from(".section .note.GNU-stack,\"\",%progbits\n");
    for name in names {
        text.extend([".globl ", name, "\n.hidden ", name, "\n"]);
    }
    write(&source, text)?;
    platform.cc()?.words("-c -o").arg(&references).arg(&source).run()?;
    let (whole, archive) = (folder.join("libbackoff.o"), folder.join("libbackoff.a"));
    platform.ld()?.words("-r -o").arg(&whole).args([object, &references]).run()?;
    platform.ar()?.arg("rcsD").arg(&archive).arg(&whole).run()?;
    Ok(archive)
}

/// The names of the exported functions.
pub(crate) fn functions() -> Result<Vec<String>> {
    let text = read(SYMBOLS)?;
    let functions = text.lines().filter_map(|line| line.strip_prefix("    ")?.strip_suffix(';'));
    Ok(functions.filter(|name| name.starts_with("backoff_")).map(str::to_owned).collect())
}
