//! The licenses of the other projects whose code a package contains, and what else it contains
//! (`xtask/contents.py`).

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::languages::go::engine;
use crate::shell::{WASM, cargo, command, stdout};

/// The file in a package.
pub(crate) const FILE: &str = "LICENSES-OF-CRATES";

const NATIVE: [&str; 4] = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-musl",
    "x86_64-pc-windows-gnu",
    "aarch64-apple-darwin",
];

/// The packages whose file is committed: their folder, the crate, and its targets.
const PACKAGES: [(&str, &str, &[&str]); 4] = [
    ("bindings-c", "bindings-c", &NATIVE),
    ("bindings-go", "bindings-c", &[WASM]),
    ("bindings-python", "bindings-python", &NATIVE),
    ("bindings-wasm", "bindings-wasm", &[WASM]),
];

/// The committed files.
pub(crate) fn pages() -> Result<Vec<(PathBuf, String)>> {
    let page_of = |(folder, package, targets): (&str, &str, &[&str])| {
        let mut licenses = contents("licenses", [package].iter().chain(targets));
        if folder == "bindings-go" {
            // It writes functions of its own into what it translates.
            let wasm2go = serde_json::json!({ "wasm2go": engine::license()? });
            licenses.env("BACKOFF_MORE_LICENSES", wasm2go.to_string());
        }
        Ok((Path::new(folder).join(FILE), stdout(&mut licenses)?))
    };
    PACKAGES.into_iter().map(page_of).collect()
}

/// The licenses of what is linked into a crate of this project for a target.
pub(crate) fn of_binaries(package: &str, target: &str) -> Result<String> {
    stdout(&mut contents("licenses", [package, target]))
}

/// The program that knows what packages contain.
pub(crate) fn contents(
    verb: &str,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> Command {
    let mut python = command("python3");
    python.arg("xtask/contents.py").arg(verb).args(arguments);
    python.env("CARGO", cargo().get_program());
    python
}
