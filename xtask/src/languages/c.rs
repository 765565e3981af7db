//! C: `make check` in bindings-c, on libbackoff installed under a prefix of its own.

use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use crate::crates::tool;
use crate::languages::{Platforms, go::engine, python};
use crate::libbackoff::{self, Platform};
use crate::report::Report;
use crate::shell::*;
use crate::{archive, audit, cross, docs, fresh, licenses, program, venv};

/// The prefix under which the library is installed for the tests.
pub(crate) fn prefix() -> Result<PathBuf> {
    fresh::made(scratch().join("prefix"), |prefix| {
        libbackoff::build(&Platform::host()?)?.put(prefix)
    })
}

/// `make` in a folder, which knows how to compile with the installed library, and puts what it makes into this one.
fn make(folder: &str, build: &Path) -> Result<Program> {
    Ok(make_over(&prefix()?, folder, build))
}

/// The same, with the library under another prefix.
pub(crate) fn make_over(prefix: &Path, folder: &str, build: &Path) -> Program {
    let make = program("make --no-print-directory -j2 -C").arg(folder);
    let prefix = format!("PREFIX={}", prefix.display());
    make.arg(prefix).arg(format!("BUILD={}", build.display()))
}

fn compiled() -> PathBuf {
    scratch().join("c-programs")
}

/// Makes a target of the Makefile. Parts of the tests run at once, and two that make the same file would
/// disturb each other.
fn build(target: impl AsRef<Path>) -> Result<()> {
    static MAKING: Mutex<()> = Mutex::new(());
    let _held = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    make("bindings-c", &compiled())?.arg(target.as_ref()).run()
}

fn example(name: &str) -> Result<Program> {
    let path = compiled().join(name);
    build(&path)?;
    Ok(program_at(path))
}

pub(crate) fn bench() -> Result<Program> {
    let build = scratch().join("bench-c");
    make("bench/c", &build)?.run()?;
    Ok(program_at(build.join("bench")))
}

pub(crate) fn evaluator() -> Result<Program> {
    example("evaluate")
}

pub(crate) fn client() -> Result<Program> {
    example("example-http")
}

/// A program of the pages; one of C++ is as the oldest standard that has what it includes.
pub(crate) fn snippet(code: &str) -> Result<String> {
    let (file, name) = match code {
        code if code.contains("<stop_token>") => ("snippet.cpp", "snippet-c++20"),
        code if code.contains("<backoff.hpp>") => ("snippet.cpp", "snippet-c++11"),
        _ => ("snippet.c", "snippet"),
    };
    write(compiled().join(file), code)?;
    example(name)?.stdout()
}

/// The installed header, libraries and pkg-config file, as a C user has them.
pub(crate) fn test(report: &mut Report) {
    report.suite("C: make check", || {
        build("programs")?;
        Ok(make("bindings-c", &compiled())?.arg("check"))
    });
    for file in ["test_installed.py", "test_growth.py"] {
        pytest(report, file, |_| Ok(()));
    }
    let is_all = report.is_all;
    pytest(report, "test_wasm.py", |given| {
        given["module"] = json!(module()?);
        given["is_all"] = json!(is_all);
        Ok(())
    });
    report.check("C: archives have the same bytes again, the page and the licences", archives);
    report.check("C: the library builds without an operating system", || {
        static_library("thumbv7em-none-eabi")?.run()
    });
    report.check("C: the build systems for the README", || {
        for name in ["cmake", "meson", "ninja"] {
            symlink(tools()?.join(name), &programs("c").join(name))?;
        }
        Ok(())
    });
    if report.is_all {
        test_more(report);
    }
    docs::test(report, &root().join("bindings-c/README.md"));
    // test_installed.py compares the blocks of this page with the examples.
    docs::test_folder(report, "bindings-c/docs", &["any-language.md"]);
}

/// cargo, to build the library for a target, for which it needs no linker.
fn static_library(target: &str) -> Result<Program> {
    add_target(target)?;
    let build = "rustc --locked --release --package bindings-c --crate-type staticlib --target";
    Ok(cargo(build).arg(target))
}

fn test_more(report: &mut Report) {
    let release = report.timed("the tag of the last release", audit::last_release).flatten();
    if release.is_none() {
        report.skip("C: the ABI of the last release", "there is no tag of one");
    }
    pytest(report, "test_releases.py", |given| Ok(given["release"] = json!(release)));
    // Assertions, which only a build evaluates, compare the types of C with those of the core.
    report.check("C: the library builds where u64 is aligned to 4 bytes", || {
        static_library("i686-unknown-linux-gnu")?.run()
    });
    report.check("C: the library builds for CPUs without atomic instructions", || {
        let single_core = ("RUSTFLAGS", "--cfg portable_atomic_unsafe_assume_single_core");
        ["thumbv6m-none-eabi", "riscv32imc-unknown-none-elf"]
            .iter()
            .try_for_each(|target| static_library(target)?.env(single_core.0, single_core.1).run())
    });
    pytest(report, "test_languages.py", |given| {
        given["backoff"] = json!(program::binary()?);
        given["zig"] = json!({ "folder": cross::zig()?, "cache": scratch().join("zig-cache") });
        Ok(())
    });
    pytest(report, "test_everywhere.py", |given| {
        // The oldest that the package promises to work with.
        let cmake = venv::with("c-old-cmake", "xtask/src/languages/c.rs", &["cmake==3.15.3"])?;
        given["old_cmake"] = json!(cmake.join("bin/cmake"));
        let conan = venv::with("c-conan", "xtask/src/languages/c.rs", &["conan==2.34.0"])?;
        given["conan"] = json!(conan.join("bin/conan"));
        // The last that the pinned Rust builds.
        let cargo_c = ("cargo-c", "0.10.24+cargo-0.98.0");
        given["cargo_c"] = json!({
            "program": tool(cargo_c, "")?.path().with_file_name("cargo-cinstall"),
            "target": scratch().join("c-cinstall-target"),
            "version": cargo_c.1.split('+').next(),
        });
        for name in PUBLISHED {
            let platform = Platform::named(name)?;
            given["platforms"][name] =
                json!({ "archive": packed(&platform)?, "cc": platform.cc()? });
        }
        Ok(())
    });
}

fn pytest(report: &mut Report, file: &str, more: impl FnOnce(&mut Value) -> Result<()>) {
    report.pytest(&format!("C: pytest {file}"), || {
        let (prefix, build_folder) = (prefix()?, compiled());
        let variables = [("PREFIX", &prefix), ("BUILD", &build_folder)];
        let mut given = json!({
            "prefix": prefix,
            "build": build_folder,
            "make": variables.map(|(name, folder)| format!("{name}={}", folder.display())),
            "tools": tools()?,
            "xtask": std::env::current_exe()?,
        });
        more(&mut given)?;
        let pytest = python::tool("pytest")?.arg(format!("bindings-c/tests/{file}"));
        Ok(pytest.env("BACKOFF_C", given.to_string()))
    });
}

fn tools() -> Result<PathBuf> {
    Ok(venv::with("c-tools", "bindings-c/tests/requirements.txt", &[])?.join("bin"))
}

/// The platforms for which there are archives. Those for Linux run with a glibc of 2012.
const PUBLISHED: [&str; 5] = [
    "x86_64-unknown-linux-gnu.2.17",
    "aarch64-unknown-linux-gnu.2.17",
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
    "x86_64-pc-windows-gnu",
];

pub(crate) fn packages(platforms: Platforms) -> Result<Vec<PathBuf>> {
    let mut archives: Vec<_> = match platforms {
        // Only macOS builds for macOS.
        Platforms::All if cfg!(not(target_os = "macos")) => {
            PUBLISHED.iter().map(|name| packed(&Platform::named(name)?)).collect::<Result<_>>()?
        }
        _ => vec![packed(&Platform::host()?)?],
    };
    archives.push(module()?);
    Ok(archives)
}

fn packed(platform: &Platform) -> Result<PathBuf> {
    archive(platform.triple(), |folder| libbackoff::build(platform)?.put(folder))
}

/// The archive for hosts of WebAssembly.
fn module() -> Result<PathBuf> {
    archive(WASM, |folder| {
        let module = engine::build("bindings-c --profile wasm", "wasm/backoff.wasm", "")?;
        copy(&module, &folder.join("libbackoff.wasm"))?;
        copy_files("bindings-c/examples/wasm", &folder.join("examples"))?;
        copy_files("include", &folder.join("include"))
    })
}

fn archive(platform: &str, put: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
    let name = format!("libbackoff-{}-{platform}", env!("CARGO_PKG_VERSION"));
    let folder = scratch().join("c-archives").join(&name);
    empty(&folder)?;
    put(&folder)?;
    copy_files("bindings-c/docs", &folder.join("docs"))?;
    let of_folder = ["README.md", licenses::FILE].map(|file| ("bindings-c", file));
    for (from, file) in [("", "LICENSE-APACHE"), ("", "LICENSE-MIT")].into_iter().chain(of_folder) {
        copy(Path::new(from).join(file), &folder.join(file))?;
    }
    let path = folder.with_added_extension("tar.gz");
    archive::tar_gz(&folder, &path)?;
    Ok(path)
}

/// An archive has what users need, and the same bytes if it is made again. Its page has no links to
/// files of the repository by their paths, because the archive does not have them.
fn archives() -> Result<()> {
    let platform = Platform::host()?;
    let path = packed(&platform)?;
    let first = fs::read(&path)?;
    ensure!(first == fs::read(packed(&platform)?)?, "other bytes");
    let names = program("tar -tzf").arg(&path).stdout()?;
    let needed = "LICENSE-APACHE LICENSE-MIT LICENSES-OF-CRATES README.md docs/retry.md include/backoff.h lib/libbackoff.so share/backoff/examples/curl_retry.h";
    for name in needed.split(' ') {
        ensure!(names.lines().any(|line| line.ends_with(name)), "no {name} in\n{names}");
    }
    let mut is_code = false;
    for line in read("bindings-c/README.md")?.lines() {
        is_code ^= line.starts_with("```");
        for link in line.split("](").skip(1) {
            ensure!(is_code || link.starts_with('#') || link.starts_with("https://"), "{line}");
        }
    }
    Ok(())
}
