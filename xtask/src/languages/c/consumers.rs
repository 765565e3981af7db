//! Users' projects over the installed library, with the build systems that they use.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::make::prefix;
use crate::report::Report;
use crate::shell::{command, empty, programs, run, scratch, stdout, symlink};
use crate::venv;

const REQUIREMENTS: &str = "bindings-c/tests/requirements.txt";
const SOURCES: &str = "bindings-c/tests/consumers";
/// The oldest that the package promises to work with.
const OLD_CMAKE: &str = "3.15.3";

/// Both examples, with both libraries.
const PROGRAMS: [(&str, &str); 4] = [
    ("retry-shared", "done\n"),
    ("retry-static", "done\n"),
    ("decide-shared", "attempt 3: stop, success\n"),
    ("decide-static", "attempt 3: stop, success\n"),
];

/// Builds users' projects, and runs their programs.
pub(super) fn test(report: &mut Report) {
    report.check("C: CMake's package accepts the versions that it should", || {
        versions(&tool("cmake")?)
    });
    report.runs_on(("C and C++", "build systems", "CMake"), || with_cmake(&tool("cmake")?));
    report.runs_on(("C and C++", "build systems", "Meson"), with_meson);
}

/// The same with an old CMake.
pub(super) fn test_more(report: &mut Report) {
    report.check("C: the package accepts the versions that it should, in an old CMake", || {
        versions(&old_cmake()?)
    });
    report.runs_on(("C and C++", "build systems", "CMake (oldest)"), || with_cmake(&old_cmake()?));
}

/// Puts the build systems where the commands of the documents find them.
pub(super) fn offer_tools() -> Result<()> {
    std::fs::create_dir_all(programs())?;
    for name in ["cmake", "meson", "ninja"] {
        let link = programs().join(name);
        let _ = std::fs::remove_file(&link);
        symlink(tool(name)?, &link)?;
    }
    Ok(())
}

/// A program of the pinned build systems.
fn tool(name: &str) -> Result<PathBuf> {
    Ok(venv::with("c-tools", REQUIREMENTS, &[])?.join("bin").join(name))
}

fn old_cmake() -> Result<PathBuf> {
    let requirement = format!("cmake=={OLD_CMAKE}");
    Ok(venv::with("c-old-cmake", "xtask/src/languages/c/consumers.rs", &[&requirement])?
        .join("bin/cmake"))
}

/// `find_package` of other versions.
fn versions(cmake: &Path) -> Result<()> {
    let build = scratch().join("c-versions");
    empty(&build)?;
    let mut cmake = command(cmake);
    run(cmake.arg("-S").arg(Path::new(SOURCES).join("versions")).arg("-B").arg(build))
}

fn with_cmake(cmake: &Path) -> Result<String> {
    let build = scratch().join("c-with-cmake");
    empty(&build)?;
    run(on_prefix(&mut command(cmake), "CMAKE_PREFIX_PATH", "")?
        .args(["-S", SOURCES, "-B"])
        .arg(&build))?;
    run(command(cmake).arg("--build").arg(&build))?;
    runs(&build)?;
    let about = stdout(command(cmake).arg("--version"))?;
    let version = about.split_whitespace().nth(2).context("no version")?;
    Ok(version.to_owned())
}

fn with_meson() -> Result<String> {
    let (meson, ninja) = (tool("meson")?, tool("ninja")?);
    let build = scratch().join("c-with-meson");
    empty(&build)?;
    let mut setup = command(&meson);
    on_prefix(&mut setup, "PKG_CONFIG_PATH", "lib/pkgconfig")?.env("NINJA", &ninja);
    run(setup.arg("setup").arg(&build).arg(SOURCES))?;
    run(command(ninja).arg("-C").arg(&build))?;
    runs(&build)?;
    Ok(stdout(command(meson).arg("--version"))?.trim().to_owned())
}

/// Makes a build system find the library through a variable that names a folder of the prefix.
fn on_prefix<'a>(
    command: &'a mut Command,
    variable: &str,
    folder: &str,
) -> Result<&'a mut Command> {
    Ok(command.env(variable, prefix()?.join(folder)))
}

/// Runs the programs, and checks that just those with the shared library need it.
fn runs(build: &Path) -> Result<()> {
    for (name, end) in PROGRAMS {
        let program = build.join(name);
        let printed = stdout(&mut command(&program))?;
        ensure!(printed.ends_with(end), "{name} printed\n{printed}");
        let dynamic = stdout(command("readelf").arg("-d").arg(&program))?;
        let is_shared = dynamic.contains("[libbackoff.so.");
        ensure!(is_shared == name.ends_with("-shared"), "{name} needs\n{dynamic}");
    }
    Ok(())
}
