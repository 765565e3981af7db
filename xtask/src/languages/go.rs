//! Go: the module, tested with the go command on the installed C library.

pub(crate) mod engine;

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::UNIX_EPOCH;

use anyhow::{Result, ensure};

use crate::languages::{Platforms, c};
use crate::report::{Report, Runner};
use crate::shell::{command, progress, root, run, scratch, stdout};

const MODULE: &str = "github.com/backoff-rs/backoff/bindings-go";

/// Run as a program of its own, so that the module has no dependencies.
const STATICCHECK: &str = "honnef.co/go/tools/cmd/staticcheck@v0.6.1";

/// The libraries that programs in the documents use beside ours, with their versions.
const PEERS: [(&str, &str); 4] = [
    ("github.com/cenkalti/backoff/v4", "v4.3.0"),
    ("github.com/cenkalti/backoff/v5", "v5.0.3"),
    ("github.com/cenkalti/backoff/v6", "v6.0.1"),
    ("github.com/cenkalti/backoff/v7", "v7.0.3"),
];

/// The go command, which finds libbackoff under the prefix.
fn go() -> Result<Command> {
    let prefix = c::prefix()?;
    // The go command does not notice that backoff.h has changed. A flag that changes with the header
    // keeps it from reusing what it compiled with the old one.
    let header = fs::metadata(root().join("include/backoff.h"))?.modified()?;
    let header = header.duration_since(UNIX_EPOCH)?.as_secs();
    let mut go = command("go");
    go.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"))
        .env("LD_LIBRARY_PATH", prefix.join("lib"))
        .env("GOTOOLCHAIN", "local")
        .env("GOFLAGS", "-mod=mod")
        .env("CGO_CFLAGS", format!("-O2 -g -DBACKOFF_HEADER={header}"))
        .env("BACKOFF_VECTORS", root().join("tests/vectors"))
        .current_dir(root().join("bindings-go"));
    Ok(go)
}

/// The driver of request lines (tests/README.md).
pub(crate) fn driver() -> Result<Command> {
    program("driver", "./internal/driver")
}

/// The evaluator (tests/README.md).
pub(crate) fn evaluator() -> Result<Command> {
    program("evaluate", "./internal/evaluate")
}

/// The HTTP example, a client of the scenario.
pub(crate) fn client() -> Result<Command> {
    program("http", "./examples/http")
}

fn program(name: &str, package: &str) -> Result<Command> {
    progress(&format!("building Go's {name}"));
    let path = scratch().join(format!("go-{name}"));
    run(go()?.args(["build", "-o"]).arg(&path).arg(package))?;
    let mut program = command(path);
    program.env("LD_LIBRARY_PATH", c::prefix()?.join("lib"));
    Ok(program)
}

/// Runs a program in a user's module that depends on ours, and returns its output.
pub(crate) fn snippet(code: &str) -> Result<String> {
    let user = scratch().join("go-user");
    fs::create_dir_all(&user)?;
    let module = root().join("bindings-go");
    let peers = PEERS.iter().filter(|(peer, _)| code.contains(peer));
    let peers: Vec<_> =
        peers.map(|(peer, version)| format!("require {peer} {version}\n")).collect();
    let manifest = format!(
        "module example.com/user\n\ngo 1.24\n\nrequire {MODULE} v0.0.0\n\nreplace {MODULE} => {}\n\n{}",
        module.display(),
        peers.concat()
    );
    fs::write(user.join("go.mod"), manifest)?;
    fs::write(user.join("main.go"), code)?;
    stdout(go()?.args(["run", "."]).current_dir(&user))
}

/// Lints and tests of the module.
pub(crate) fn test(report: &mut Report) {
    report.check("gofmt", || {
        let unformatted = stdout(command("gofmt").args(["-l", "bindings-go"]))?;
        ensure!(unformatted.is_empty(), "{unformatted}");
        Ok(())
    });
    report.check("go vet", || run(go()?.args(["vet", "./..."])));
    report.check("staticcheck", || run(go()?.args(["run", STATICCHECK, "./..."])));
    for (what, flags) in [("go test", &[][..]), ("go test -race", &["-race"][..])] {
        report.suite_of(what, Runner::Go, || {
            let mut go = go()?;
            go.args(["test", "-count=1", "-json"]).args(flags).arg("./...");
            Ok(go)
        });
    }
}

/// The files that are published.
#[expect(clippy::unnecessary_wraps, reason = "there is none yet")]
pub(crate) fn packages(_: Platforms) -> Result<Vec<PathBuf>> {
    Ok(Vec::new())
}

/// Tests that take longer.
pub(crate) fn test_more(_report: &mut Report) {}
