//! Building for other machines, with the C compiler zig. It has the C libraries of every target, and
//! of glibc the symbols of every version, so what it links runs on old systems. zig comes from `PyPI`.

use crate::shell::*;
use crate::venv;

/// The compiler, and what lets cargo link with it.
const REQUIREMENTS: [&str; 2] = ["ziglang==0.17.1", "cargo-zigbuild==0.24.0"];

fn tools() -> Result<PathBuf> {
    venv::with("zig", "xtask/src/cross.rs", &REQUIREMENTS)
}

fn tool(name: &str) -> Result<Program> {
    with_zig(program_at(tools()?.join("bin").join(name)))
}

/// The folder of the program `zig`, which finds its libraries beside it.
pub(crate) fn zig() -> Result<PathBuf> {
    let folder = tool("python")?.words("-c").arg("import ziglang; print(*ziglang.__path__)");
    Ok(folder.stdout()?.trim().into())
}

pub(crate) fn with_zig(program: Program) -> Result<Program> {
    Ok(program
        .env("CARGO_ZIGBUILD_PYTHON_PATH", tools()?.join("bin/python"))
        .env("CARGO_ZIGBUILD_CACHE_DIR", scratch().join("zig-cache/cargo-zigbuild"))
        .env("ZIG_GLOBAL_CACHE_DIR", scratch().join("zig-cache")))
}

/// `cargo build` for a target of Rust. A suffix selects the version of glibc:
/// `aarch64-unknown-linux-gnu.2.17`. The products are in the folder of cargo's target, without the suffix.
pub(crate) fn zigbuild(target: &str) -> Result<Program> {
    add_target(without_version(target))?;
    Ok(tool("cargo-zigbuild")?.env_of(&cargo("")).words("zigbuild --target").arg(target))
}

pub(crate) fn cc(target: &str) -> Result<Program> {
    Ok(tool("python")?.words("-m ziglang cc -target").arg(target_of_zig(target)))
}

pub(crate) fn ar() -> Result<Program> {
    Ok(tool("python")?.words("-m ziglang ar"))
}

pub(crate) fn without_version(target: &str) -> &str {
    target.split_once('.').map_or(target, |(target, _)| target)
}

/// What zig calls a target of Rust: the names of some machines differ, and it has no vendors.
fn target_of_zig(target: &str) -> String {
    let (machine, rest) = target.split_once('-').unwrap_or((target, ""));
    let machine = match machine {
        "i586" | "i686" => "x86",
        "armv7" => "arm",
        "riscv64gc" => "riscv64",
        _ => machine,
    };
    let rest = rest.trim_start_matches("unknown-").trim_start_matches("pc-");
    format!("{machine}-{rest}")
}
