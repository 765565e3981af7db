//! Running other programs, and where they run.

use std::cell::Cell;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

/// The top folder of the project.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the project")
}

/// The folder of intermediate files, in cargo's target folder.
pub(crate) fn scratch() -> PathBuf {
    target().join("xtask")
}

/// The folder of the programs that documents run.
pub(crate) fn programs() -> PathBuf {
    scratch().join("bin")
}

/// The target folder of cargo.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root().join("target"), |dir| std::path::absolute(dir).expect("a path"))
}

/// A program to run in the top folder.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root()).stdin(Stdio::null());
    command
}

/// The cargo that runs xtask, with the same target folder.
pub(crate) fn cargo() -> Command {
    let mut cargo = command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.env("CARGO_TARGET_DIR", target()).env_remove("CARGO_BUILD_TARGET");
    cargo
}

/// The WebAssembly target.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// Adds the standard library of a target if it is missing.
pub(crate) fn add_target(target: &str) -> Result<()> {
    let libraries =
        stdout(command("rustc").args(["--print", "target-libdir", "--target", target]))?;
    if Path::new(libraries.trim()).exists() {
        return Ok(());
    }
    progress(&format!("adding the target {target}"));
    run(command("rustup").args(["target", "add", target]))
}

/// Makes an empty folder, without any old content.
pub(crate) fn empty(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())
}

/// The files in a folder and in those below it, links included, in the order of their names.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut entries = entries.collect::<std::io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        if entry.file_type()?.is_dir() {
            files.extend(files_below(&entry.path())?);
        } else {
            files.push(entry.path());
        }
    }
    Ok(files)
}

/// Copies the files of a folder of the project, without its folders, into a new one.
pub(crate) fn copy_files(from: &str, to: &Path) -> Result<()> {
    empty(to)?;
    for entry in fs::read_dir(root().join(from)).with_context(|| from.to_owned())? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// Makes a link to a file or a folder.
pub(crate) fn symlink(to: impl AsRef<Path>, at: &Path) -> Result<()> {
    #[cfg(unix)]
    let linked = std::os::unix::fs::symlink(to, at);
    // What Windows links to must be there: it has links to files and links to folders.
    #[cfg(windows)]
    let linked = match at.with_file_name(to.as_ref()).is_dir() {
        true => std::os::windows::fs::symlink_dir(to, at),
        false => std::os::windows::fs::symlink_file(to, at),
    };
    linked.with_context(|| at.display().to_string())
}

thread_local! {
    /// The part of the tests that runs on this thread.
    static PART: Cell<&'static str> = const { Cell::new("") };
}

/// Prints a step.
pub(crate) fn progress(what: &str) {
    match PART.get() {
        "" => eprintln!("==> {what}"),
        part => eprintln!("==> {part}: {what}"),
    }
}

/// Makes this thread print a part of the tests before its steps, because others print theirs at the
/// same time.
pub(crate) fn progress_of(part: &'static str) {
    PART.set(part);
}

/// Runs a program. Its output is part of the error if it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let output = output(command)?;
    if !output.success {
        bail!("`{}` failed:\n{}", line(command), output.text);
    }
    Ok(())
}

/// Runs a program, which prints for itself what it does.
pub(crate) fn show(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| missing(command))?;
    ensure!(status.success(), "`{}` failed", line(command));
    Ok(())
}

/// The end of a program: standard output followed by standard error.
pub(crate) struct Output {
    pub(crate) success: bool,
    pub(crate) text: String,
}

/// Runs a program, which may fail.
pub(crate) fn output(command: &mut Command) -> Result<Output> {
    let output = command.output().with_context(|| missing(command))?;
    let text = [output.stdout, output.stderr].concat();
    Ok(Output { success: output.status.success(), text: String::from_utf8_lossy(&text).into() })
}

/// The standard output of a program.
pub(crate) fn stdout(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| missing(command))?;
    if !output.status.success() {
        bail!("`{}` failed:\n{}", line(command), String::from_utf8_lossy(&output.stderr));
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{}` in UTF-8", line(command)))
}

/// A command as one would type it.
pub(crate) fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// A command for programs in Python: its words, its folder, and what it changes of the environment.
pub(crate) fn as_json(command: &Command) -> serde_json::Value {
    let text = |text: &OsStr| text.to_string_lossy().into_owned();
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let changes = command.get_envs().filter_map(|(name, value)| Some((text(name), text(value?))));
    serde_json::json!({
        "program": words.map(text).collect::<Vec<_>>(),
        "folder": command.get_current_dir(),
        "environment": changes.collect::<std::collections::BTreeMap<_, _>>(),
    })
}

/// An error that says how to install a program.
fn missing(command: &Command) -> String {
    let program = command.get_program().to_string_lossy().into_owned();
    let advice = match program.rsplit('/').next().unwrap_or(&program) {
        "go" | "gofmt" => "install Go 1.24 or later: https://go.dev/dl",
        "node" | "npm" => "install Node.js 20 or later: https://nodejs.org",
        "python3" => "install Python 3.11 or later: https://www.python.org",
        "cc" | "c++" => "install a C and C++ compiler, for example Debian's build-essential",
        "ld" | "objcopy" | "ar" | "nm" | "readelf" => {
            "install binutils, for example Debian's binutils"
        }
        "pkg-config" => "install pkg-config, for example Debian's pkg-config",
        "rustup" => "install Rust with rustup: https://rustup.rs",
        "unshare" => "install util-linux, as Debian's package of that name",
        "x86_64-w64-mingw32-gcc" => "install it, for example Debian's gcc-mingw-w64-x86-64",
        qemu if qemu.starts_with("qemu-") => {
            "install Debian's qemu-user-static and, for C, libc6-arm64-cross"
        }
        "gcc" | "clang" | "valgrind" | "wine" => "install Debian's package of that name",
        "java" => "install a JDK, for example Debian's default-jdk-headless",
        "chromium" => {
            "install Chromium, for example Debian's chromium, or set CHROMIUM to its path"
        }
        _ => "is it installed?",
    };
    format!("cannot run `{program}`: {advice}")
}
