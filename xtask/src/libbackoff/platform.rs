//! Where libbackoff runs: the names of its files there, and the tools that make them.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell::{cargo, command, stdout};

/// A platform, by Rust's name of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Platform {
    triple: String,
    host: String,
}

const VERSION: &str = env!("CARGO_PKG_VERSION");
const MAJOR: &str = env!("CARGO_PKG_VERSION_MAJOR");

impl Platform {
    /// The platform of this machine.
    pub(crate) fn host() -> Result<Self> {
        let about = stdout(command("rustc").arg("-vV"))?;
        let host = about.lines().find_map(|line| line.strip_prefix("host: ")).context("no host")?;
        Ok(Self { triple: host.to_owned(), host: host.to_owned() })
    }

    /// The platform with this name.
    pub(crate) fn named(triple: &str) -> Result<Self> {
        let platform = Self { triple: triple.to_owned(), ..Self::host()? };
        if !platform.is_linux() && !platform.is_windows() && !platform.is_macos() {
            bail!("libbackoff is not made for {triple}");
        }
        Ok(platform)
    }

    pub(crate) fn triple(&self) -> &str {
        &self.triple
    }

    pub(crate) fn is_host(&self) -> bool {
        self.triple == self.host
    }

    pub(crate) fn is_linux(&self) -> bool {
        self.triple.contains("-linux-")
    }

    pub(crate) fn is_windows(&self) -> bool {
        self.triple.ends_with("-windows-gnu")
    }

    pub(crate) fn is_macos(&self) -> bool {
        self.triple.ends_with("-apple-darwin")
    }

    /// The size of a pointer.
    pub(crate) fn pointer_bytes(&self) -> u32 {
        let architecture = self.triple.split('-').next().unwrap_or_default();
        if architecture.contains("64") || architecture == "s390x" { 8 } else { 4 }
    }

    /// The name of the shared library, as linkers search for it.
    pub(crate) fn shared_library(&self) -> &'static str {
        if self.is_windows() {
            "backoff.dll"
        } else if self.is_macos() {
            "libbackoff.dylib"
        } else {
            "libbackoff.so"
        }
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

    /// The libraries of the system that the static library needs.
    pub(crate) fn static_libraries(&self) -> &'static [&'static str] {
        if self.is_windows() {
            &["bcrypt", "bcryptprimitives"]
        } else if self.is_linux() {
            &["dl"] // dlsym, in a glibc before 2.34
        } else {
            &[]
        }
    }

    /// The cargo that can link for the platform.
    pub(crate) fn cargo(&self) -> Result<Command> {
        if self.is_host() { Ok(cargo()) } else { bail!("no linker for {}", self.triple) }
    }

    /// The C compiler.
    pub(crate) fn cc(&self) -> Result<Command> {
        if self.is_host() { Ok(command("cc")) } else { bail!("no compiler for {}", self.triple) }
    }

    /// The linker.
    pub(super) fn ld(&self) -> Result<Command> {
        if self.is_host() {
            return Ok(command("ld"));
        }
        let mut ld = command(self.of_rust("rust-lld")?);
        ld.args(["-flavor", "gnu"]);
        Ok(ld)
    }

    /// The program that changes objects.
    pub(super) fn objcopy(&self) -> Result<Command> {
        if self.is_host() {
            Ok(command("objcopy"))
        } else {
            Ok(command(self.of_rust("rust-objcopy")?))
        }
    }

    /// The program that makes archives.
    pub(super) fn ar(&self) -> Result<Command> {
        if self.is_host() { Ok(command("ar")) } else { bail!("no ar for {}", self.triple) }
    }

    /// A program of the Rust toolchain, which works for all platforms.
    fn of_rust(&self, name: &str) -> Result<PathBuf> {
        let sysroot = stdout(command("rustc").args(["--print", "sysroot"]))?;
        let path = PathBuf::from(sysroot.trim()).join("lib/rustlib").join(&self.host).join("bin");
        Ok(path.join(name))
    }
}
