//! The go command: with which engine, and in which module.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::UNIX_EPOCH;

use anyhow::Result;

use crate::languages::c;
use crate::shell::{command, root};

pub(super) const MODULE: &str = "github.com/backoff-rs/backoff/bindings-go";

/// Run as programs of their own, so that the module has no dependencies.
pub(super) const STATICCHECK: &str = "honnef.co/go/tools/cmd/staticcheck@v0.6.1";

/// The go command, as in a fresh installation of Go.
pub(super) fn go() -> Command {
    let mut go = command("go");
    go.env("GOTOOLCHAIN", "local")
        .env("GOFLAGS", "-mod=mod")
        .env("BACKOFF_VECTORS", root().join("tests/vectors"))
        .current_dir(root().join("bindings-go"));
    go
}

/// The go command without cgo, as on a machine without a C compiler.
pub(super) fn go_alone() -> Command {
    let mut go = go();
    go.env("CGO_ENABLED", "0");
    go
}

/// The go command with cgo, which finds libbackoff under the prefix.
pub(super) fn go_over_c() -> Result<Command> {
    let prefix = c::prefix()?;
    // The go command does not notice that backoff.h has changed. A flag that changes with the header
    // keeps it from reusing what it compiled with the old one.
    let header = fs::metadata(root().join("include/backoff.h"))?.modified()?;
    let header = header.duration_since(UNIX_EPOCH)?.as_secs();
    let mut go = go();
    go.env("CGO_ENABLED", "1")
        .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"))
        .env("LD_LIBRARY_PATH", prefix.join("lib"))
        .env("CGO_CFLAGS", format!("-O2 -g -DBACKOFF_HEADER={header}"));
    Ok(go)
}

/// `go test`, each time anew, with its events on standard output. It vets nothing: checks of their own run
/// all of `go vet`.
pub(super) fn testing(mut go: Command) -> Command {
    go.args(["test", "-count=1", "-json", "-vet=off"]);
    go
}

/// The folder of that module.
pub(super) fn checks() -> PathBuf {
    root().join("bindings-go/internal/checks")
}
