//! libbackoff installed under a prefix of its own, and `make` in bindings-c, which compiles programs with it.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use anyhow::Result;

use crate::libbackoff::{self, Platform};
use crate::shell::{command, empty, run, scratch};

/// The prefix under which the library is installed for the tests.
pub(crate) fn prefix() -> Result<PathBuf> {
    static INSTALLED: Mutex<Option<PathBuf>> = Mutex::new(None);
    let mut installed = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(prefix) = &*installed {
        return Ok(prefix.clone());
    }
    let prefix = scratch().join("prefix");
    empty(&prefix)?;
    libbackoff::build(&Platform::host()?)?.put(&prefix)?;
    Ok(installed.insert(prefix).clone())
}

/// The folder of the compiled programs.
pub(super) fn programs() -> PathBuf {
    scratch().join("c-programs")
}

/// `make` in bindings-c, which knows how to compile.
pub(super) fn make() -> Result<Command> {
    let mut make = command("make");
    make.args(["--no-print-directory", "-j2", "-C", "bindings-c"]);
    make.arg(format!("PREFIX={}", prefix()?.display()));
    make.arg(format!("BUILD={}", programs().display()));
    Ok(make)
}

/// Makes a target of the Makefile. Parts of the tests run at once, and two that make the same file would
/// disturb each other.
pub(super) fn build(target: impl AsRef<OsStr>) -> Result<()> {
    static MAKING: Mutex<()> = Mutex::new(());
    let _held = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    run(make()?.arg(target))
}

/// A program of the Makefile, compiled.
pub(super) fn program(name: &str) -> Result<Command> {
    let program = programs().join(name);
    build(&program)?;
    Ok(command(program))
}
