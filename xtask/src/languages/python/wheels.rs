//! The files that are published: a wheel for each platform, and the sdist. maturin makes them.

use std::env::consts::{ARCH, OS};

use super::tools::{INPUTS, tool};
use crate::crates::{lint, without_paths};
use crate::cross;
use crate::fresh;
use crate::languages::Platforms;
use crate::shell::*;

/// The platforms that wheels are built for on Linux: what Rust calls them, and what the wheel's name must end with.
/// zig links the wheels for Linux. For Windows, maturin passes a list of exported symbols that only the linker of GCC
/// understands.
const PLATFORMS: [(&str, &str); 5] = [
    ("x86_64-unknown-linux-gnu", "manylinux_2_17_x86_64"),
    ("aarch64-unknown-linux-gnu", "manylinux_2_17_aarch64"),
    ("x86_64-unknown-linux-musl", "musllinux_1_2_x86_64"),
    ("aarch64-unknown-linux-musl", "musllinux_1_2_aarch64"),
    ("x86_64-pc-windows-gnu", "win_amd64"),
];

pub(crate) fn packages(platforms: Platforms) -> Result<Vec<PathBuf>> {
    let mut packages = match platforms {
        Platforms::All if OS == "linux" => all()?.into_iter().map(|(_, wheel)| wheel).collect(),
        Platforms::All | Platforms::Host => vec![published()?],
        Platforms::Tests => vec![wheel()?],
    };
    packages.push(sdist()?);
    Ok(packages)
}

/// The tags of the platforms whose wheels are built on Linux, with the wheels.
pub(crate) fn all() -> Result<Vec<(&'static str, PathBuf)>> {
    PLATFORMS.iter().map(|&(target, tag)| Ok((tag, wheel_for(target, tag)?))).collect()
}

/// The wheel for this machine as it is published.
pub(crate) fn published() -> Result<PathBuf> {
    let this = format!("{ARCH}-unknown-{OS}-gnu");
    match PLATFORMS.iter().find(|(target, _)| *target == this) {
        Some((target, tag)) => wheel_for(target, tag),
        None => build("host", "", |maturin| Ok(maturin.words("--compatibility pypi"))),
    }
}

/// The wheel that the tests use. It is compiled in a third of the time, linted, and linked for the
/// distribution of this machine.
pub(super) fn wheel() -> Result<PathBuf> {
    build("tests", "", |maturin| {
        let maturin = lint(maturin)?.env("CARGO_PROFILE_WHEEL_LTO", "off");
        let maturin = maturin.env("CARGO_PROFILE_WHEEL_OPT_LEVEL", "1");
        let maturin = maturin.env("CARGO_PROFILE_WHEEL_CODEGEN_UNITS", "16");
        Ok(maturin.words("--compatibility pypi"))
    })
}

fn wheel_for(target: &str, tag: &str) -> Result<PathBuf> {
    build(target, tag, |maturin| {
        add_target(target)?;
        let maturin = maturin.args(["--target", target]);
        let machine = target.split('-').next().unwrap_or_default();
        if let Some(oldest) = tag.strip_suffix(&format!("_{machine}")) {
            return Ok(cross::with_zig(maturin)?.args(["--zig", "--compatibility", oldest]));
        }
        program("x86_64-w64-mingw32-gcc --version").run()?;
        Ok(maturin)
    })
}

/// Builds a wheel with these options of maturin, whose name must end with this tag.
fn build(
    name: &str,
    tag: &str,
    options: impl FnOnce(Program) -> Result<Program>,
) -> Result<PathBuf> {
    let folder = fresh::built(scratch().join("wheels").join(name), &INPUTS, |folder| {
        progress(&format!("building the wheel: {name}"));
        let maturin = tool("maturin")?.words("build --quiet --locked -m").arg(MANIFEST);
        // Nothing else is built like a wheel, so it need not wait for the other builds.
        let target = scratch().join("wheel-target");
        let mut maturin = maturin.arg("--out").arg(folder).env("CARGO_TARGET_DIR", target);
        // `dist` has its own.
        if std::env::var_os("CARGO_ENCODED_RUSTFLAGS").is_none() {
            let flags = without_paths("source", "source");
            maturin = maturin.env("CARGO_ENCODED_RUSTFLAGS", flags);
        }
        options(maturin)?.run()
    })?;
    let wheel = only_file(&folder)?;
    // Under a free-threaded interpreter maturin drops abi3 without a word, and the wheel of a
    // platform without such a tag would install on this machine only.
    let (needs, name) = (format!("{tag}.whl"), wheel.to_string_lossy());
    ensure!(
        name.contains("-cp311-abi3-") && name.ends_with(&needs) && !name.contains("-linux_"),
        "{name} is not the wheel of {tag}"
    );
    Ok(wheel)
}

const MANIFEST: &str = "bindings-python/Cargo.toml";

pub(super) fn sdist() -> Result<PathBuf> {
    only_file(&fresh::built(scratch().join("sdist"), &INPUTS, |folder| {
        tool("maturin")?.args(["sdist", "-m", MANIFEST, "--out"]).arg(folder).run()
    })?)
}
