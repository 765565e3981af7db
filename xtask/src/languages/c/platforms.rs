//! libbackoff for other platforms, run where this machine can: by emulators and by wine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::make::{build, make, prefix, programs};
use crate::archive;
use crate::libbackoff::{self, Platform};
use crate::licenses;
use crate::report::Report;
use crate::shell::{command, copy_files, empty, output, root, run, scratch, stdout};

/// A platform for which packages are made.
struct Target {
    name: &'static str,
    /// How `docs/compatibility.md` shows how it ran.
    shown: &'static str,
    /// Runs programs with the shared library, by the path of which they find it.
    run_shared: Option<fn(program: &Path, libraries: &Path) -> Command>,
    /// Runs programs with the static library.
    run_static: fn(program: &Path) -> Command,
}

const TARGETS: [Target; 4] = [
    Target {
        name: "x86_64-unknown-linux-gnu.2.17",
        shown: "x86_64-unknown-linux-gnu",
        run_shared: Some(here),
        run_static: |program| command(program),
    },
    Target {
        name: "aarch64-unknown-linux-gnu.2.17",
        shown: "aarch64-unknown-linux-gnu (qemu)",
        run_shared: Some(|program, libraries| {
            let mut qemu = on_aarch64(program);
            qemu.env("QEMU_SET_ENV", format!("LD_LIBRARY_PATH={}", libraries.display()));
            qemu
        }),
        run_static: on_aarch64,
    },
    Target {
        name: "x86_64-unknown-linux-musl",
        shown: "x86_64-unknown-linux-musl (static)",
        run_shared: None,
        run_static: |program| command(program),
    },
    Target {
        name: "aarch64-unknown-linux-musl",
        shown: "aarch64-unknown-linux-musl (qemu, static)",
        run_shared: None,
        run_static: on_aarch64,
    },
];

const WINDOWS: &str = "x86_64-pc-windows-gnu";

fn here(program: &Path, libraries: &Path) -> Command {
    let mut command = command(program);
    command.env("LD_LIBRARY_PATH", libraries);
    command
}

/// Debian's qemu-user-static, with the C library of libc6-arm64-cross.
fn on_aarch64(program: &Path) -> Command {
    let mut qemu = command("qemu-aarch64-static");
    qemu.args(["-L", "/usr/aarch64-linux-gnu"]).arg(program);
    qemu
}

/// The vectors, on each platform.
pub(super) fn test_more(report: &mut Report) {
    for target in &TARGETS {
        report.runs_on(("C and C++", "platforms", target.shown), || {
            vectors(target)?;
            Ok(String::new())
        });
    }
    report.runs_on(("C and C++", "platforms", "x86_64-pc-windows-gnu (wine)"), || {
        on_windows()?;
        Ok(String::new())
    });
}

/// The published archive for a platform, unpacked.
fn tree(platform: &Platform) -> Result<PathBuf> {
    let archive = packed_for(platform)?;
    let folder = scratch().join("c-platforms").join(platform.name());
    empty(&folder)?;
    let mut unpack = command("tar");
    unpack.args(["--strip-components=1", "-xzf"]).arg(archive).arg("-C").arg(&folder);
    run(&mut unpack)?;
    Ok(folder)
}

/// Compiles the conformance test with a library, which is the last argument of the compiler.
fn conformance(platform: &Platform, prefix: &Path, name: &str, library: &Path) -> Result<PathBuf> {
    build(programs().join("vectors.h"))?;
    let program = prefix.join(name);
    let mut compile = platform.cc()?;
    compile.args(["-std=c99", "-O1", "-Ibindings-c/tests"]).arg("-I").arg(programs());
    compile.arg("-I").arg(prefix.join("include")).arg("bindings-c/tests/conformance.c");
    run(compile.arg(library).arg("-o").arg(&program))?;
    Ok(program)
}

fn passes(command: &mut Command) -> Result<()> {
    let printed = stdout(command)?;
    let last = printed.lines().last().unwrap_or_default();
    ensure!(last.ends_with(" passed, 0 failed") && !last.starts_with("0 "), "{printed}");
    Ok(())
}

fn vectors(target: &Target) -> Result<()> {
    let platform = Platform::named(target.name)?;
    let prefix = tree(&platform)?;
    let lib = prefix.join("lib");
    let program = conformance(&platform, &prefix, "static", &lib.join("libbackoff.a"))?;
    passes(&mut (target.run_static)(&program))?;
    let program = conformance(&platform, &prefix, "shared", &lib.join("libbackoff.so"))?;
    match target.run_shared {
        Some(run_shared) => passes(&mut run_shared(&program, &lib)),
        // It is linked, so every symbol is there; no loader of this platform is on the machine.
        None => Ok(()),
    }
}

/// wine 8 lacks a DLL that Windows has since version 10.
const BCRYPTPRIMITIVES: &str = "\
#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE to, SIZE_T count);
BOOL WINAPI ProcessPrng(PBYTE to, SIZE_T count) { return RtlGenRandom(to, (ULONG)count); }
";

fn on_windows() -> Result<()> {
    let platform = Platform::named(WINDOWS)?;
    let prefix = tree(&platform)?;
    let bin = prefix.join("bin");
    let import = prefix.join("lib/libbackoff.dll.a");
    let program = conformance(&platform, &prefix, "bin/shared.exe", &import)?;
    let source = prefix.join("bcryptprimitives.c");
    fs::write(&source, BCRYPTPRIMITIVES)?;
    let mut dll = platform.cc()?;
    dll.arg("-shared").arg(&source).arg("-o").arg(bin.join("bcryptprimitives.dll"));
    run(dll.arg("-ladvapi32"))?;
    let mut wine = command("wine");
    wine.current_dir(&bin).arg(&program).env("WINEDEBUG", "-all");
    wine.env("WINEPREFIX", scratch().join("wine"));
    passes(&mut wine)
}

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

/// Every standard, with each compiler.
pub(super) fn compilers(report: &mut Report) {
    for (cc, cxx) in [("gcc", "g++"), ("clang", "clang++")] {
        report.runs_on(("C and C++", "compilers, C99 to C23 and C++11 to C++23", cc), || {
            let mut make = make()?;
            make.args(["standards", &format!("CC={cc}"), &format!("CXX={cxx}")]);
            run(&mut make)?;
            let version = stdout(command(cc).arg("-dumpfullversion").arg("-dumpversion"))?;
            Ok(version.lines().next().context("no version")?.to_owned())
        });
    }
    report.runs_on(
        ("C and C++", "compilers, C99 to C23 and C++11 to C++23", "gcc -static"),
        || {
            let prefix = prefix()?;
            let host = Platform::host()?;
            let archive = prefix.join("lib/libbackoff.a");
            let program = prefix.with_extension("static");
            build(programs().join("vectors.h"))?;
            let mut compile = host.cc()?;
            compile.args(["-std=c99", "-static", "-Ibindings-c/tests"]).arg("-I").arg(programs());
            compile.arg("-I").arg(prefix.join("include")).arg("bindings-c/tests/conformance.c");
            run(compile.arg(archive).arg("-o").arg(&program))?;
            passes(&mut command(program))?;
            Ok(String::new())
        },
    );
}

/// helgrind and drd report nothing of libbackoff with the installed suppressions, much without, and
/// the races of the program with both.
pub(super) fn valgrind(report: &mut Report) {
    for tool in ["helgrind", "drd"] {
        report.runs_on(("C and C++", "checked by", tool), || {
            let prefix = prefix()?;
            let supp = prefix.join("share/backoff/valgrind.supp");
            for library in ["lib/libbackoff.so", "lib/libbackoff.a"] {
                let library = prefix.join(library);
                let program = programs().join("valgrind");
                let mut compile = command("cc");
                compile
                    .args(["-std=c99", "-g", "-O1", "-pthread", "-I"])
                    .arg(prefix.join("include"));
                compile.arg("bindings-c/tests/valgrind.c").arg(&library).arg("-o").arg(&program);
                run(&mut compile)?;
                let reports = |suppressed: bool, races: bool| -> Result<bool> {
                    let mut valgrind = command("valgrind");
                    valgrind.args(["--quiet", "--error-exitcode=9"]).arg(format!("--tool={tool}"));
                    if suppressed {
                        valgrind.arg(format!("--suppressions={}", supp.display()));
                    }
                    valgrind.env("LD_LIBRARY_PATH", prefix.join("lib")).arg(&program);
                    valgrind.args(races.then_some("race"));
                    Ok(!output(&mut valgrind)?.success)
                };
                let name = library.display();
                ensure!(!reports(true, false)?, "{name}: reports in spite of the suppressions");
                ensure!(reports(false, false)?, "{name}: the suppressions are not needed");
                ensure!(reports(true, true)?, "{name}: a race of the program is not reported");
            }
            let about = stdout(command("valgrind").arg("--version"))?;
            Ok(about.trim().trim_start_matches("valgrind-").to_owned())
        });
    }
}

/// The installed trees as archives with the same bytes for the same files.
pub(super) fn archives(platforms: &[&str]) -> Result<Vec<PathBuf>> {
    platforms.iter().map(|name| packed_for(&Platform::named(name)?)).collect()
}

fn packed_for(platform: &Platform) -> Result<PathBuf> {
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
