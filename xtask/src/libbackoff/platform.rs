//! Where libbackoff runs: the names of its files there, and the tools that make them.

use crate::crates::sysroot;
use crate::cross;
use crate::libbackoff::template::so_version;
use crate::shell::*;

/// A platform, by Rust's name of it, perhaps with a version of glibc: `aarch64-unknown-linux-gnu`,
/// `x86_64-unknown-linux-gnu.2.17`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Platform {
    name: String,
    host: String,
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

impl Platform {
    pub(crate) fn host() -> Result<Self> {
        let about = program("rustc -vV").stdout()?;
        let host = about.lines().find_map(|line| line.strip_prefix("host: ")).context("no host")?;
        Ok(Self { name: host.to_owned(), host: host.to_owned() })
    }

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

    pub(crate) fn pointer_bytes(&self) -> u32 {
        let architecture = self.name.split('-').next().unwrap_or_default();
        if architecture.contains("64") || architecture == "s390x" { 8 } else { 4 }
    }

    /// The names of the shared library: of the file, and of the links to it. The first link is the
    /// name by which programs load it, the last the one that linkers search for.
    pub(crate) fn shared_names(&self) -> Vec<String> {
        let versions = [format!(".{VERSION}"), format!(".{}", so_version()), String::new()];
        if self.is_windows() {
            vec!["backoff.dll".to_owned()]
        } else if self.is_macos() {
            versions.map(|version| format!("libbackoff{version}.dylib")).to_vec()
        } else {
            versions.map(|version| format!("libbackoff.so{version}")).to_vec()
        }
    }

    pub(crate) fn import_library(&self) -> Option<&'static str> {
        self.is_windows().then_some("libbackoff.dll.a")
    }

    /// cargo, to build the libraries with a linker for the platform.
    pub(super) fn cargo_build(&self) -> Result<Program> {
        if self.is_host() {
            return Ok(cargo("build"));
        }
        ensure!(!self.is_macos(), "a library for {} is built on macOS", self.name);
        cross::zigbuild(&self.name)
    }

    pub(crate) fn cc(&self) -> Result<Program> {
        if self.is_host() { Ok(program("cc")) } else { cross::cc(&self.name) }
    }

    pub(super) fn ld(&self) -> Result<Program> {
        if self.is_host() { Ok(program("ld")) } else { self.of_rust("rust-lld -flavor gnu") }
    }

    pub(super) fn objcopy(&self) -> Result<Program> {
        if self.is_host() { Ok(program("objcopy")) } else { self.of_rust("rust-objcopy") }
    }

    pub(super) fn ar(&self) -> Result<Program> {
        if self.is_host() { Ok(program("ar")) } else { cross::ar() }
    }

    /// A program of the Rust toolchain, which works for all platforms.
    fn of_rust(&self, line: &str) -> Result<Program> {
        let lib = sysroot()?.join("lib");
        let (name, words) = line.split_once(' ').unwrap_or((line, ""));
        let path = lib.join("rustlib").join(&self.host).join("bin").join(name);
        // Some do not find the library of LLVM by themselves.
        Ok(program_at(path).words(words).env("LD_LIBRARY_PATH", lib))
    }
}
