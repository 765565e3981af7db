//! The files that are published: a wheel for each platform, and the sdist. maturin makes them.

use std::env::consts::{ARCH, OS};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::tools::{EXAMPLES, INPUTS, TESTS, tool, tools};
use crate::crates::lint;
use crate::cross;
use crate::fresh;
use crate::languages::language::Platforms;
use crate::shell::{add_target, command, progress, root, run, scratch};
use crate::venv;

/// A platform that wheels are built for on Linux.
pub(crate) struct Platform {
    /// What Rust calls it.
    target: &'static str,
    /// What the wheel's name must end with.
    pub(crate) tag: &'static str,
}

/// zig links the wheels for Linux. For Windows, maturin passes a list of exported symbols that only
/// the linker of GCC understands.
const PLATFORMS: [Platform; 5] = [
    Platform { target: "x86_64-unknown-linux-gnu", tag: "manylinux_2_17_x86_64" },
    Platform { target: "aarch64-unknown-linux-gnu", tag: "manylinux_2_17_aarch64" },
    Platform { target: "x86_64-unknown-linux-musl", tag: "musllinux_1_2_x86_64" },
    Platform { target: "aarch64-unknown-linux-musl", tag: "musllinux_1_2_aarch64" },
    Platform { target: "x86_64-pc-windows-gnu", tag: "win_amd64" },
];

/// The files that are published.
pub(crate) fn packages(platforms: Platforms) -> Result<Vec<PathBuf>> {
    let mut packages = match platforms {
        Platforms::All if OS == "linux" => {
            PLATFORMS.iter().map(Platform::wheel).collect::<Result<_>>()?
        }
        Platforms::All | Platforms::Host => vec![published()?],
        Platforms::Tests => vec![wheel()?],
    };
    packages.push(sdist()?);
    Ok(packages)
}

/// The platforms whose wheels are built on Linux, with the wheels.
pub(crate) fn all() -> Result<Vec<(&'static Platform, PathBuf)>> {
    PLATFORMS.iter().map(|platform| Ok((platform, platform.wheel()?))).collect()
}

/// The wheel for this machine as it is published.
pub(crate) fn published() -> Result<PathBuf> {
    match of_this_machine() {
        Some(platform) => platform.wheel(),
        None => built("host", "", |maturin| Ok(maturin.args(["--compatibility", "pypi"]))),
    }
}

/// The wheel that the tests use. It is compiled in a third of the time, linted, and linked for the
/// distribution of this machine.
pub(super) fn wheel() -> Result<PathBuf> {
    built("tests", "", |maturin| {
        lint(maturin)?;
        maturin.env("CARGO_PROFILE_WHEEL_LTO", "off").env("CARGO_PROFILE_WHEEL_OPT_LEVEL", "1");
        maturin.env("CARGO_PROFILE_WHEEL_CODEGEN_UNITS", "16");
        Ok(maturin.args(["--compatibility", "pypi"]))
    })
}

fn of_this_machine() -> Option<&'static Platform> {
    PLATFORMS.iter().find(|platform| platform.target == format!("{ARCH}-unknown-{OS}-gnu"))
}

impl Platform {
    fn wheel(&self) -> Result<PathBuf> {
        built(self.target, self.tag, |maturin| self.options(maturin))
    }

    fn options<'a>(&self, maturin: &'a mut Command) -> Result<&'a mut Command> {
        let Self { target, tag } = *self;
        add_target(target)?;
        maturin.args(["--target", target]);
        if let Some(oldest) = tag.strip_suffix(&format!("_{}", machine(target))) {
            return Ok(cross::with_zig(maturin)?.args(["--zig", "--compatibility", oldest]));
        }
        run(command("x86_64-w64-mingw32-gcc").arg("--version"))?;
        Ok(maturin)
    }
}

fn machine(target: &str) -> &str {
    target.split_once('-').map_or(target, |(machine, _)| machine)
}

/// Builds a wheel with these options of maturin, whose name must end with this tag.
fn built(
    name: &str,
    tag: &str,
    options: impl FnOnce(&mut Command) -> Result<&mut Command>,
) -> Result<PathBuf> {
    let folder = scratch().join("wheels").join(name);
    fresh::unless_fresh(&folder, &INPUTS, || {
        progress(&format!("building the wheel: {name}"));
        let _ = fs::remove_dir_all(&folder);
        let mut maturin = tool("maturin")?;
        maturin.args(["build", "--quiet", "--locked", "-m", MANIFEST, "--out"]).arg(&folder);
        run(options(built_by(&mut maturin))?)
    })?;
    let wheel = the_file(&folder)?;
    // Under a free-threaded interpreter maturin drops abi3 without a word, and the wheel of a
    // platform without such a tag would install on this machine only.
    let (needs, name) = (format!("{tag}.whl"), wheel.to_string_lossy());
    ensure!(
        name.contains("-cp311-abi3-") && name.ends_with(&needs) && !name.contains("-linux_"),
        "{name} is not the wheel of {tag}"
    );
    Ok(wheel)
}

/// Where and how this command builds. Nothing else is built like a wheel, so it need not wait for the
/// other builds.
fn built_by(command: &mut Command) -> &mut Command {
    command.env("CARGO_TARGET_DIR", scratch().join("wheel-target"));
    // `dist` has its own.
    if std::env::var_os("CARGO_ENCODED_RUSTFLAGS").is_none() {
        command.env("CARGO_ENCODED_RUSTFLAGS", without_paths());
    }
    command
}

const MANIFEST: &str = "bindings-python/Cargo.toml";

/// The sources.
pub(crate) fn sdist() -> Result<PathBuf> {
    let folder = scratch().join("sdist");
    fresh::unless_fresh(&folder, &INPUTS, || {
        let _ = fs::remove_dir_all(&folder);
        run(tool("maturin")?.args(["sdist", "-m", MANIFEST, "--out"]).arg(&folder))
    })?;
    the_file(&folder)
}

fn the_file(folder: &Path) -> Result<PathBuf> {
    let mut files = fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path()));
    files.next().with_context(|| format!("maturin wrote nothing into {}", folder.display()))
}

/// Folders of this machine, which messages of panics would name.
fn machine_folders() -> Vec<String> {
    let home = std::env::var("HOME").unwrap_or_default();
    let cargo = std::env::var("CARGO_HOME").unwrap_or_else(|_| format!("{home}/.cargo"));
    vec![cargo, root().display().to_string()]
}

/// Flags that keep these folders out of the build.
fn without_paths() -> String {
    let remap = |folder: &String| format!("--remap-path-prefix={folder}=source");
    machine_folders().iter().map(remap).collect::<Vec<_>>().join("\x1f")
}

const SEARCH: &str = "
import sys, zipfile

archive, *folders = sys.argv[1:]
files = zipfile.ZipFile(archive)
for name in files.namelist():
    for folder in folders:
        if folder.encode() in files.read(name):
            sys.exit(f'{name} holds {folder}')
";

/// Fails if a file of the wheel contains the path of such a folder.
pub(crate) fn holds_no_path(wheel: &Path) -> Result<()> {
    run(command("python3").args(["-c", SEARCH]).arg(wheel).args(machine_folders()))
}

/// The environment with the wheel.
pub(super) fn installed() -> Result<PathBuf> {
    let (wheel, folder) = (wheel()?, tools()?);
    let mark = folder.join("wheel-is-installed");
    let inputs: Vec<&str> = [TESTS, EXAMPLES].into_iter().chain(INPUTS).collect();
    fresh::unless_fresh(&mark, &inputs, || {
        progress("installing the wheel");
        run(venv::install(&folder)?.args(["--force-reinstall", "--no-deps"]).arg(&wheel))?;
        Ok(fs::write(&mark, "")?)
    })?;
    Ok(folder)
}
