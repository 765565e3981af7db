//! Go: the module, tested with the go command. The default engine needs nothing else; the other one
//! is tested on the installed C library.

mod adapters;
mod command;
pub(crate) mod engine;
mod hosts;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::languages::language::Platforms;
use crate::languages::python;
use crate::report::{Report, Runner};
use crate::shell::{command, empty, output, progress, root, run, scratch, stdout};

use adapters::{ADAPTERS, newest};
use command::{MODULE, STATICCHECK, checks, go, go_alone, go_over_c, testing};
pub(crate) use hosts::{fleet, queue, test as hosts};

/// The module of what only our tests need.
const CHECKS: &str = "github.com/backoff-rs/backoff/bindings-go/internal/checks";

/// The build tag of the engine over the C library.
const CGO: &str = "-tags=backoff_cgo";

/// The package whose files depend on that tag. No others do.
const ENGINE: &str = "./internal/engine";

/// The libraries that programs in the documents use beside ours, with their versions.
const PEERS: [(&str, &str); 6] = [
    ("github.com/cenkalti/backoff/v4", "v4.3.0"),
    ("github.com/cenkalti/backoff/v5", "v5.0.3"),
    ("github.com/cenkalti/backoff/v6", "v6.0.1"),
    ("github.com/cenkalti/backoff/v7", "v7.0.3"),
    ("github.com/avast/retry-go/v5", "v5.1.1"),
    ("github.com/sethvargo/go-retry", "v0.5.0"),
];

/// The tests of the module, which are an evaluator if a variable says so.
pub(crate) fn evaluator() -> Result<Command> {
    let mut evaluator = program("evaluate", &["test", "-c"], ".")?;
    evaluator.env("BACKOFF_EVALUATE", "1");
    Ok(evaluator)
}

pub(crate) fn client() -> Result<Command> {
    program("http", &["build"], "./examples/http")
}

fn program(name: &str, build: &[&str], package: &str) -> Result<Command> {
    progress(&format!("building Go's {name}"));
    let path = scratch().join(format!("go-{name}"));
    run(go_alone().args(build).arg("-o").arg(&path).arg(package))?;
    Ok(command(path))
}

/// The harness of benchmarks, over the module of this checkout.
pub(crate) fn bench() -> Result<Command> {
    progress("building Go's benchmarks");
    let path = scratch().join("go-bench");
    run(benchmarks().args(["build", "-o"]).arg(&path).arg("."))?;
    Ok(command(path))
}

/// The go command in the module of the benchmarks, whose go.mod and go.sum pin the peers.
fn benchmarks() -> Command {
    let mut go = go_alone();
    go.env("GOFLAGS", "-mod=readonly").current_dir(root().join("bench/go"));
    go
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
    stdout(go_alone().args(["run", "."]).current_dir(&user))
}

/// Lints and tests of the module, with either engine, and of the package that users get.
pub(crate) fn test(report: &mut Report) {
    report.check("gofmt", || {
        let unformatted = stdout(command("gofmt").args(["-l", "bindings-go", "bench/go"]))?;
        ensure!(unformatted.is_empty(), "{unformatted}");
        Ok(())
    });
    report.check("go vet", || run(go_alone().args(["vet", "./..."])));
    report.check("go vet, over C", || run(go_over_c()?.args(["vet", CGO, ENGINE])));
    report.check("go vet, the checks", || run(newest()?.args(["vet", &format!("{CHECKS}/...")])));
    let suite = |go: Command, flags: &[&str]| {
        let mut go = testing(go);
        go.args(flags).arg("./...");
        Ok(go)
    };
    report.suite_of("go test", Runner::Go, || suite(go_alone(), &[]));
    report.suite_of("go test -race", Runner::Go, || {
        let mut go = go();
        go.env("CGO_ENABLED", "1"); // the race detector needs it
        suite(go, &["-race"])
    });
    report.suite_of("go test, over C", Runner::Go, || suite(go_over_c()?, &[CGO]));
    report.suite_of("Go: the checks", Runner::Go, || {
        let mut go = testing(newest()?);
        go.args(["-skip", AS_USERS_GET_IT, CHECKS]);
        Ok(go)
    });
}

/// Tests that compile the module again, from a proxy, from a zip file, and for other systems.
const AS_USERS_GET_IT: &str = "^(TestInstall|TestGoInstall|TestPackage|TestZipAlone)$";

/// Builds the HTTP example as the page says, without a warning, and runs it without the library.
fn static_program_over_c() -> Result<()> {
    let page = fs::read_to_string(root().join("bindings-go/docs/c-library.md"))?;
    let build = page.lines().find(|line| line.starts_with("go build -tags backoff_cgo,"));
    let build = build.context("the page builds no static program over C")?;
    let folder = scratch().join("go-static");
    empty(&folder)?;
    let mut sh = go_over_c()?;
    let environment: Vec<_> = sh
        .get_envs()
        .map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned)))
        .collect();
    sh = command("sh");
    sh.arg("-ec").arg(format!("{build} -o \"$0\" ./examples/http")).arg(folder.join("http"));
    for (name, value) in environment {
        if let Some(value) = value {
            sh.env(name, value);
        }
    }
    let printed = output(sh.current_dir(root().join("bindings-go")))?;
    ensure!(printed.success && printed.text.is_empty(), "{build}:\n{}", printed.text);
    let run = output(&mut command(folder.join("http")))?;
    ensure!(run.text.starts_with("usage: http"), "{}", run.text);
    Ok(())
}

/// The zip files of the module and of its adapters, as a module proxy serves them.
pub(crate) fn packages(_: Platforms) -> Result<Vec<PathBuf>> {
    let version = env!("CARGO_PKG_VERSION");
    let folder = scratch().join("go-package");
    empty(&folder)?;
    let mut packages = Vec::new();
    for adapter in std::iter::once(None).chain(ADAPTERS.iter().map(|adapter| Some(adapter.name))) {
        let name = adapter.map_or_else(|| "go".to_owned(), |name| format!("go-adapter-{name}"));
        let path = folder.join(format!("backoff-{name}-{version}.zip"));
        let mut pack = go_alone();
        pack.args(["run", "./pack", &format!("v{version}")]).arg(&path).args(adapter);
        run(pack.current_dir(checks()))?;
        packages.push(path);
    }
    Ok(packages)
}

/// Every platform of Go, and other tools.
pub(crate) fn test_more(report: &mut Report) {
    report.check("go vet, the benchmarks", || run(benchmarks().args(["vet", "./..."])));
    report.check("staticcheck", || run(go_alone().args(["run", STATICCHECK, "./..."])));
    report
        .check("staticcheck, over C", || run(go_over_c()?.args(["run", STATICCHECK, CGO, ENGINE])));
    report.check("staticcheck, the benchmarks", || {
        run(benchmarks().args(["run", STATICCHECK, "./..."]))
    });
    report.check("staticcheck, the checks", || {
        run(newest()?.args(["run", STATICCHECK, &format!("{CHECKS}/...")]))
    });
    report.suite_of("Go: the module as its users get it", Runner::Go, || {
        let mut go = testing(newest()?);
        go.args(["-run", AS_USERS_GET_IT, CHECKS]);
        Ok(go)
    });
    report.check("Go: the page's static program over C", static_program_over_c);
    report.runs_on(("Go", "checked by", "golangci-lint"), || {
        run(go_alone().args(["run", GOLANGCI_LINT, "run", "./..."]))?;
        run(go_over_c()?.args(["run", GOLANGCI_LINT, "run", "--build-tags=backoff_cgo", "./..."]))?;
        Ok(GOLANGCI_LINT.rsplit('@').next().unwrap_or_default().to_owned())
    });
    everywhere(report);
}

const GOLANGCI_LINT: &str = "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0";

/// Every platform of Go.
fn everywhere(report: &mut Report) {
    report.pytest("Go everywhere", || {
        let mut pytest = python::tool("pytest")?;
        for (name, value) in go_alone().get_envs() {
            pytest.env(name, value.unwrap_or_default());
        }
        pytest.arg("bindings-go/internal/checks/everywhere.py");
        Ok(pytest)
    });
}
