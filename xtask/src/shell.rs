//! Running other programs, and where they run.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::process::{Output, Stdio};

use serde::Serialize;

// What nearly every task needs.
pub(crate) use anyhow::{Context as _, Result, bail, ensure};
pub(crate) use std::fs;
pub(crate) use std::path::{Path, PathBuf};
pub(crate) use std::process::Command;

/// The top folder of the project.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the project")
}

/// The target folder of cargo.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root().join("target"), |dir| std::path::absolute(dir).expect("a path"))
}

/// The folder of intermediate files, in cargo's target folder.
pub(crate) fn scratch() -> PathBuf {
    target().join("xtask")
}

/// A folder of programs that documents run: the tools of C, or the command.
pub(crate) fn programs(name: &str) -> PathBuf {
    scratch().join("bin").join(name)
}

/// A program to run: its words, its folder, and what it changes of the environment. Programs in Python read it
/// as JSON.
#[derive(Clone, Serialize)]
pub(crate) struct Program {
    #[serde(rename = "program")]
    words: Vec<String>,
    folder: PathBuf,
    environment: BTreeMap<String, String>,
}

/// A program to run in the top folder, with the arguments behind it: `git log -1`.
pub(crate) fn program(line: &str) -> Program {
    let words = line.split_whitespace().map(str::to_owned).collect();
    Program { words, folder: root().to_owned(), environment: BTreeMap::new() }
}

pub(crate) fn program_at(path: impl AsRef<OsStr>) -> Program {
    program("").arg(path)
}

/// The cargo that runs xtask, with the same target folder.
pub(crate) fn cargo(line: &str) -> Program {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    program_at(cargo).words(line).env("CARGO_TARGET_DIR", target())
}

/// The path of Chromium, which must be there.
pub(crate) fn chromium() -> Result<String> {
    let path = std::env::var("CHROMIUM").unwrap_or_else(|_| "/usr/bin/chromium".into());
    program_at(&path).arg("--version").run()?;
    Ok(path)
}

pub(crate) fn python3(line: &str) -> Program {
    program("python3").words(line)
}

fn text(text: impl AsRef<OsStr>) -> String {
    text.as_ref().to_string_lossy().into_owned()
}

impl Program {
    pub(crate) fn arg(mut self, word: impl AsRef<OsStr>) -> Self {
        self.words.push(text(word));
        self
    }

    pub(crate) fn args(mut self, words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.words.extend(words.into_iter().map(text));
        self
    }

    /// Arguments without spaces in them.
    pub(crate) fn words(self, line: &str) -> Self {
        self.args(line.split_whitespace())
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.environment.insert(name.to_owned(), text(value));
        self
    }

    /// What another program changes of the environment.
    pub(crate) fn env_of(mut self, other: &Self) -> Self {
        self.environment.extend(other.environment.clone());
        self
    }

    /// Adds the words of another program, with its folder and its environment.
    pub(crate) fn with(self, other: &Self) -> Self {
        let folder = other.folder.clone();
        self.args(&other.words).env_of(other).within(folder)
    }

    pub(crate) fn within(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = folder.into();
        self
    }

    /// The program of the standard library, without input.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(self.path());
        command.args(self.words.iter().skip(1)).current_dir(&self.folder).envs(&self.environment);
        // It would move what cargo builds.
        command.env_remove("CARGO_BUILD_TARGET").stdin(Stdio::null());
        command
    }

    /// Whether the program succeeds, and what it writes: standard output followed by standard error.
    pub(crate) fn ends(&self) -> Result<(bool, String)> {
        let output = self.command().output().with_context(|| self.missing())?;
        let Output { status, stdout, stderr } = output;
        Ok((status.success(), String::from_utf8_lossy(&[stdout, stderr].concat()).into()))
    }

    /// Runs the program. Its output is part of the error if it fails.
    pub(crate) fn run(&self) -> Result<()> {
        let (success, text) = self.ends()?;
        ensure!(success, "`{}` failed:\n{text}", self.line());
        Ok(())
    }

    /// Runs the program, which prints for itself what it does.
    pub(crate) fn show(&self) -> Result<()> {
        let status = self.command().status().with_context(|| self.missing())?;
        ensure!(status.success(), "`{}` failed", self.line());
        Ok(())
    }

    pub(crate) fn stdout(&self) -> Result<String> {
        let output = self.command().output().with_context(|| self.missing())?;
        let errors = || String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "`{}` failed:\n{}", self.line(), errors());
        String::from_utf8(output.stdout).with_context(|| format!("`{}` in UTF-8", self.line()))
    }

    pub(crate) fn path(&self) -> &Path {
        Path::new(self.words.first().map_or("", String::as_str))
    }

    pub(crate) fn line(&self) -> String {
        self.words.join(" ")
    }

    fn missing(&self) -> String {
        let (path, name) = (self.path().display(), self.path().file_name().unwrap_or_default());
        let advice = ADVICE.iter().find(|(names, _)| names.split(' ').any(|known| name == known));
        let advice = advice.map_or("is it installed?", |(_, advice)| advice);
        format!("cannot run `{path}`: {advice}")
    }
}

const ADVICE: [(&str, &str); 13] = [
    ("go gofmt", "install Go 1.24 or later: https://go.dev/dl"),
    ("node npm", "install Node.js 20 or later: https://nodejs.org"),
    ("python3", "install Python 3.11 or later: https://www.python.org"),
    ("cc c++", "install a C and C++ compiler, for example Debian's build-essential"),
    ("ld objcopy ar nm readelf", "install binutils, for example Debian's binutils"),
    ("pkg-config", "install pkg-config, for example Debian's pkg-config"),
    ("rustup", "install Rust with rustup: https://rustup.rs"),
    ("unshare", "install util-linux, as Debian's package of that name"),
    ("x86_64-w64-mingw32-gcc", "install it, for example Debian's gcc-mingw-w64-x86-64"),
    ("qemu-aarch64-static", "install Debian's qemu-user-static and, for C, libc6-arm64-cross"),
    ("gcc clang valgrind wine", "install Debian's package of that name"),
    ("java", "install a JDK, for example Debian's default-jdk-headless"),
    ("chromium", "install Chromium, for example Debian's chromium, or set CHROMIUM to its path"),
];

pub(crate) const WASM: &str = "wasm32-unknown-unknown";

pub(crate) fn add_target(target: &str) -> Result<()> {
    let libraries = program("rustc --print target-libdir --target").arg(target).stdout()?;
    if Path::new(libraries.trim()).exists() {
        return Ok(());
    }
    progress(&format!("adding the target {target}"));
    program("rustup target add").arg(target).run()
}

pub(crate) fn read(path: impl AsRef<Path>) -> Result<String> {
    let path = root().join(path);
    fs::read_to_string(&path).with_context(|| path.display().to_string())
}

/// Writes a file, perhaps into a new folder.
pub(crate) fn write(path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> Result<()> {
    let path = root().join(path);
    fs::create_dir_all(path.parent().context("a file is in a folder")?)?;
    fs::write(&path, content).with_context(|| path.display().to_string())
}

/// Copies a file, perhaps into a new folder.
pub(crate) fn copy(from: impl AsRef<Path>, to: &Path) -> Result<()> {
    let from = root().join(from);
    write(to, "")?;
    fs::copy(&from, to).with_context(|| format!("{} to {}", from.display(), to.display()))?;
    Ok(())
}

pub(crate) fn empty(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())
}

/// The paths in a folder, in the order of their names.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// The files in a folder and in those below it, links included, in the order of their names.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in entries(folder)? {
        if path.is_dir() && !path.is_symlink() {
            files.extend(files_below(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

pub(crate) fn only_file(folder: &Path) -> Result<PathBuf> {
    entries(folder)?.pop().with_context(|| format!("nothing in {}", folder.display()))
}

/// Copies the files of a folder of the project, without its folders, into a new one.
pub(crate) fn copy_files(from: &str, to: &Path) -> Result<()> {
    empty(to)?;
    for path in entries(&root().join(from))?.iter().filter(|path| path.is_file()) {
        fs::copy(path, to.join(path.file_name().context("a name")?))?;
    }
    Ok(())
}

/// Makes a link to a file or a folder, in place of an old one.
pub(crate) fn symlink(to: impl AsRef<Path>, at: &Path) -> Result<()> {
    fs::create_dir_all(at.parent().context("a link is in a folder")?)?;
    let _ = fs::remove_file(at);
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
    /// The part of the tests that runs on this thread. Others print their steps at the same time.
    pub(crate) static PART: Cell<&'static str> = const { Cell::new("") };
}

pub(crate) fn progress(what: &str) {
    match PART.get() {
        "" => eprintln!("==> {what}"),
        part => eprintln!("==> {part}: {what}"),
    }
}
