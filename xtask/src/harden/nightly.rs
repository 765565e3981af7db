//! The nightly Rust that Miri, the sanitizers and the fuzzers need. They change with every night, so it is pinned here
//! by its date.

use crate::shell::*;

const NIGHTLY: &str = "nightly-2026-05-20";

/// cargo of that Rust, with a target folder of its own.
pub(super) fn nightly(line: &str) -> Result<Program> {
    let rust = || program("rustup run").arg(NIGHTLY);
    if !rust().words("cargo miri --version").ends()?.0 {
        progress(&format!("installing {NIGHTLY}"));
        let install = "rustup toolchain install --profile minimal --component miri,rust-src";
        program(install).arg(NIGHTLY).run()?;
    }
    Ok(rust().arg("cargo").words(line).env("CARGO_TARGET_DIR", scratch().join("nightly")))
}
