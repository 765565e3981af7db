//! Building for other machines, with the C compiler zig. It has the C libraries of every target, and
//! of glibc the symbols of every version, so what it links runs on old systems. zig comes from `PyPI`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::shell::{add_target, cargo, command, scratch};
use crate::venv;

/// The compiler, and what lets cargo link with it.
const REQUIREMENTS: [&str; 2] = ["ziglang==0.17.1", "cargo-zigbuild==0.24.0"];

/// A virtual environment with these programs.
fn tools() -> Result<PathBuf> {
    venv::with("zig", "xtask/src/cross.rs", &REQUIREMENTS)
}

/// Lets a program that uses zig find it.
pub(crate) fn with_zig(command: &mut Command) -> Result<&mut Command> {
    Ok(command
        .env("CARGO_ZIGBUILD_PYTHON_PATH", tools()?.join("bin/python"))
        .env("CARGO_ZIGBUILD_CACHE_DIR", scratch().join("zig-cache/cargo-zigbuild"))
        .env("ZIG_GLOBAL_CACHE_DIR", scratch().join("zig-cache")))
}

/// `cargo build` (the verb `zigbuild`), `cargo rustc`, `cargo test` .. for a target of Rust. A
/// suffix selects the version of glibc: `aarch64-unknown-linux-gnu.2.17`. The products are in the
/// folder of cargo's target, without the suffix.
pub(crate) fn cargo_for(verb: &str, target: &str) -> Result<Command> {
    add_target(without_version(target))?;
    let mut cargo_zigbuild = command(tools()?.join("bin/cargo-zigbuild"));
    for (name, value) in cargo().get_envs() {
        match value {
            Some(value) => cargo_zigbuild.env(name, value),
            None => cargo_zigbuild.env_remove(name),
        };
    }
    with_zig(&mut cargo_zigbuild)?.args([verb, "--target", target]);
    Ok(cargo_zigbuild)
}

/// A C compiler for a target of Rust, perhaps with a version of glibc.
pub(crate) fn cc(target: &str) -> Result<Command> {
    let mut zig = command(tools()?.join("bin/python"));
    with_zig(&mut zig)?.args(["-m", "ziglang", "cc", "-target", &target_of_zig(target)]);
    Ok(zig)
}

/// A program that makes archives of objects for any target.
pub(crate) fn ar() -> Result<Command> {
    let mut zig = command(tools()?.join("bin/python"));
    with_zig(&mut zig)?.args(["-m", "ziglang", "ar"]);
    Ok(zig)
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

#[cfg(test)]
mod tests {
    use super::{target_of_zig, without_version};

    #[test]
    fn targets_of_zig_have_no_vendor() {
        for (rust, zig) in [
            ("x86_64-unknown-linux-gnu.2.17", "x86_64-linux-gnu.2.17"),
            ("aarch64-unknown-linux-musl", "aarch64-linux-musl"),
            ("x86_64-pc-windows-gnu", "x86_64-windows-gnu"),
            ("i686-unknown-linux-gnu", "x86-linux-gnu"),
        ] {
            assert_eq!(target_of_zig(rust), zig);
        }
    }

    #[test]
    fn rust_knows_no_version_of_glibc() {
        assert_eq!(without_version("x86_64-unknown-linux-gnu.2.17"), "x86_64-unknown-linux-gnu");
        assert_eq!(without_version("x86_64-pc-windows-gnu"), "x86_64-pc-windows-gnu");
    }
}
