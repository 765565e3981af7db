//! The go command: with which engine, and in which module.

use std::time::UNIX_EPOCH;

use crate::languages::c;
use crate::shell::*;

pub(super) const MODULE: &str = "github.com/backoff-rs/backoff/bindings-go";

pub(super) const CHECKS: &str = "github.com/backoff-rs/backoff/bindings-go/internal/checks";

/// Run as programs of their own, so that the module has no dependencies.
pub(super) const STATICCHECK: &str = "honnef.co/go/tools/cmd/staticcheck@v0.6.1";

/// The go command, as in a fresh installation of Go.
pub(super) fn go(line: &str) -> Program {
    let go = program("go").words(line).within(root().join("bindings-go"));
    let go = go.env("GOTOOLCHAIN", "local").env("GOFLAGS", "-mod=mod");
    go.env("BACKOFF_VECTORS", root().join("tests/vectors"))
}

/// The go command without cgo, as on a machine without a C compiler.
pub(super) fn go_alone(line: &str) -> Program {
    go(line).env("CGO_ENABLED", "0")
}

/// The go command with cgo, which finds libbackoff under the prefix.
pub(super) fn go_over_c(line: &str) -> Result<Program> {
    let prefix = c::prefix()?;
    // The go command does not notice that backoff.h has changed. A flag that changes with the header
    // keeps it from reusing what it compiled with the old one.
    let header = fs::metadata(root().join("include/backoff.h"))?.modified()?;
    let header = header.duration_since(UNIX_EPOCH)?.as_secs();
    let go = go(line).env("CGO_ENABLED", "1").env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"));
    let go = go.env("LD_LIBRARY_PATH", prefix.join("lib"));
    Ok(go.env("CGO_CFLAGS", format!("-O2 -g -DBACKOFF_HEADER={header}")))
}

/// `go test`, each time anew, which says how each test ended. It vets nothing: checks of their own run
/// all of `go vet`.
pub(super) fn testing(go: Program) -> Program {
    go.words("test -count=1 -v -vet=off")
}

pub(super) fn checks() -> PathBuf {
    root().join("bindings-go/internal/checks")
}
