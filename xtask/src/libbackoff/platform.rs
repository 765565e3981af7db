//! Where libbackoff runs: the names of its files there, and the tools that make them.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::cross;
use crate::shell::{cargo, command, stdout};

/// A platform, by Rust's name of it, perhaps with a version of glibc: `aarch64-unknown-linux-gnu`,
/// `x86_64-unknown-linux-gnu.2.17`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Platform {
    name: String,
    host: String,
}

const VERSION: &str = env!("CARGO_PKG_VERSION");
const MAJOR: &str = env!("CARGO_PKG_VERSION_MAJOR");

impl Platform {
    /// The platform of this machine.
    pub(crate) fn host() -> Result<Self> {
        let about = stdout(command("rustc").arg("-vV"))?;
        let host = about.lines().find_map(|line| line.strip_prefix("host: ")).context("no host")?;
        Ok(Self { name: host.to_owned(), host: host.to_owned() })
    }

    /// The platform with this name.
    pub(crate) fn named(name: &str) -> Result<Self> {
        let platform = Self { name: name.to_owned(), ..Self::host()? };
        if !platform.is_linux() && !platform.is_windows() && !platform.is_macos() {
            bail!("libbackoff is not made for {name}");
        }
        Ok(platform)
    }

    /// The name with a version of glibc.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The name without.
    pub(crate) fn triple(&self) -> &str {
        cross::without_version(&self.name)
    }

    /// Whether the tools of this machine build for it. Others build with zig.
    pub(crate) fn is_host(&self) -> bool {
        self.name == self.host
    }

    pub(crate) fn is_linux(&self) -> bool {
        self.triple().contains("-linux-")
    }

    pub(crate) fn is_windows(&self) -> bool {
        self.triple().ends_with("-windows-gnu")
    }

    pub(crate) fn is_macos(&self) -> bool {
        self.triple().ends_with("-apple-darwin")
    }

    /// The size of a pointer.
    pub(crate) fn pointer_bytes(&self) -> u32 {
        let architecture = self.name.split('-').next().unwrap_or_default();
        if architecture.contains("64") || architecture == "s390x" { 8 } else { 4 }
    }

    /// The name of the shared library, as linkers search for it.
    pub(crate) fn shared_library(&self) -> String {
        let (file, mut links) = self.shared_names();
        links.pop().unwrap_or(file)
    }

    /// The names of the shared library: of the file, and of the links to it. The first link is the
    /// name by which programs load it.
    pub(crate) fn shared_names(&self) -> (String, Vec<String>) {
        if self.is_windows() {
            ("backoff.dll".to_owned(), Vec::new())
        } else if self.is_macos() {
            let name = |version| format!("libbackoff.{version}.dylib");
            (name(VERSION), vec![name(MAJOR), "libbackoff.dylib".to_owned()])
        } else {
            let name = |version| format!("libbackoff.so.{version}");
            (name(VERSION), vec![name(MAJOR), "libbackoff.so".to_owned()])
        }
    }

    pub(crate) fn import_library(&self) -> Option<&'static str> {
        self.is_windows().then_some("libbackoff.dll.a")
    }

    /// cargo, to build the libraries with a linker for the platform.
    pub(super) fn cargo_build(&self) -> Result<Command> {
        if self.is_host() {
            let mut cargo = cargo();
            cargo.arg("build");
            return Ok(cargo);
        }
        if self.is_macos() {
            bail!("a library for {} is built on macOS", self.name);
        }
        cross::cargo_for("zigbuild", &self.name)
    }

    /// The C compiler.
    pub(crate) fn cc(&self) -> Result<Command> {
        if self.is_host() { Ok(command("cc")) } else { cross::cc(&self.name) }
    }

    /// The linker.
    pub(super) fn ld(&self) -> Result<Command> {
        if self.is_host() {
            return Ok(command("ld"));
        }
        let mut ld = self.of_rust("rust-lld")?;
        ld.args(["-flavor", "gnu"]);
        Ok(ld)
    }

    /// The program that changes objects.
    pub(super) fn objcopy(&self) -> Result<Command> {
        if self.is_host() { Ok(command("objcopy")) } else { self.of_rust("rust-objcopy") }
    }

    /// The program that makes archives.
    pub(super) fn ar(&self) -> Result<Command> {
        if self.is_host() { Ok(command("ar")) } else { cross::ar() }
    }

    /// A program of the Rust toolchain, which works for all platforms.
    fn of_rust(&self, name: &str) -> Result<Command> {
        let sysroot = stdout(command("rustc").args(["--print", "sysroot"]))?;
        let lib = PathBuf::from(sysroot.trim()).join("lib");
        let mut program = command(lib.join("rustlib").join(&self.host).join("bin").join(name));
        // Some do not find the library of LLVM by themselves.
        program.env("LD_LIBRARY_PATH", lib);
        Ok(program)
    }
}
