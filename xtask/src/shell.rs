//! Running other programs, with a line of progress each.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The top folder of the project.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the project")
}

/// A folder for what is built on the way: beside cargo's own.
pub(crate) fn scratch() -> PathBuf {
    target().join("xtask")
}

/// Where cargo builds.
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

/// The cargo that runs us, building where we look for what it built.
pub(crate) fn cargo() -> Command {
    let mut cargo = command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.env("CARGO_TARGET_DIR", target()).env_remove("CARGO_BUILD_TARGET");
    cargo
}

/// The target of WebAssembly.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// Adds that target unless it is there.
pub(crate) fn wasm_target() -> Result<()> {
    let libraries = stdout(command("rustc").args(["--print", "target-libdir", "--target", WASM]))?;
    if Path::new(libraries.trim()).exists() {
        return Ok(());
    }
    progress("adding the WebAssembly target");
    run(command("rustup").args(["target", "add", WASM]))
}

/// An empty folder in place of what was there, so that nothing is taken for new that is not.
pub(crate) fn empty(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())
}

/// Says what is being done.
pub(crate) fn progress(what: &str) {
    eprintln!("==> {what}");
}

/// Runs a program whose output is of interest only if it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let output = output(command)?;
    if !output.success {
        bail!("`{}` failed:\n{}", line(command), output.text);
    }
    Ok(())
}

/// What a program printed, standard output and standard error together, and how it ended.
pub(crate) struct Output {
    pub(crate) success: bool,
    pub(crate) text: String,
}

/// Runs a program to its end.
pub(crate) fn output(command: &mut Command) -> Result<Output> {
    let output = command.output().with_context(|| missing(command))?;
    let text = [output.stdout, output.stderr].concat();
    Ok(Output { success: output.status.success(), text: String::from_utf8_lossy(&text).into() })
}

/// What a program printed to standard output.
pub(crate) fn stdout(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| missing(command))?;
    if !output.status.success() {
        bail!("`{}` failed:\n{}", line(command), String::from_utf8_lossy(&output.stderr));
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{}` in UTF-8", line(command)))
}

/// A command as a person would type it.
pub(crate) fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// How to get a program that cannot be started.
fn missing(command: &Command) -> String {
    let program = command.get_program().to_string_lossy().into_owned();
    let hint = match program.rsplit('/').next().unwrap_or(&program) {
        "go" | "gofmt" => "install Go 1.24 or later: https://go.dev/dl",
        "node" | "npm" => "install Node.js 20 or later: https://nodejs.org",
        "python3" => "install Python 3.11 or later: https://www.python.org",
        "cc" | "c++" => "install a C and C++ compiler, for example Debian's build-essential",
        "pkg-config" => "install pkg-config, for example Debian's pkg-config",
        "rustup" => "install Rust with rustup: https://rustup.rs",
        "java" => "install a JDK, for example Debian's default-jdk-headless",
        _ => "is it installed?",
    };
    format!("cannot run `{program}`: {hint}")
}
