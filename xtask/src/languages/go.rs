//! Go: the module over the installed C library.

use std::fs;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::languages::c;
use crate::report::{Report, Runner};
use crate::shell::{command, progress, root, run, scratch, stdout};

const MODULE: &str = "github.com/backoff-rs/backoff/bindings-go";

/// Run as a program of its own, so that the module stays without dependencies.
const STATICCHECK: &str = "honnef.co/go/tools/cmd/staticcheck@v0.6.1";

/// What programs of documents may compare ours with, and the versions.
const PEERS: [(&str, &str); 4] = [
    ("github.com/cenkalti/backoff/v4", "v4.3.0"),
    ("github.com/cenkalti/backoff/v5", "v5.0.3"),
    ("github.com/cenkalti/backoff/v6", "v6.0.1"),
    ("github.com/cenkalti/backoff/v7", "v7.0.3"),
];

/// The go tool, which finds libbackoff under the prefix.
fn go() -> Result<Command> {
    let prefix = c::prefix()?;
    let mut go = command("go");
    go.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"))
        .env("LD_LIBRARY_PATH", prefix.join("lib"))
        .env("GOTOOLCHAIN", "local")
        .env("GOFLAGS", "-mod=mod")
        .env("BACKOFF_VECTORS", root().join("tests/vectors"))
        .current_dir(root().join("bindings-go"));
    Ok(go)
}

/// The driver.
pub(crate) fn driver() -> Result<Command> {
    program("driver", "./internal/driver")
}

/// The evaluator.
pub(crate) fn evaluator() -> Result<Command> {
    program("evaluate", "./internal/evaluate")
}

/// The HTTP example.
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

/// A user's module with ours as its dependency.
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
