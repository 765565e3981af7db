//! Go: the module, tested with the go command. The default engine needs nothing else; the other one
//! is tested on the installed C library.

mod command;
pub(crate) mod engine;
mod hosts;

use crate::languages::{Platforms, python};
use crate::report::Report;
use crate::shell::*;

use command::{CHECKS, MODULE, STATICCHECK, checks, go, go_alone, go_over_c, testing};
use hosts::{ADAPTERS, newest};
pub(crate) use hosts::{fleet, hostile_client, queue, test as hosts};

/// The package whose files depend on the build tag of the engine over the C library. No others do.
const ENGINE: &str = "./internal/engine";

const GOLANGCI_LINT: &str = "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0";

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
pub(crate) fn evaluator() -> Result<Program> {
    let tests = built("evaluate", "test -c", ".", root().join("bindings-go"))?;
    Ok(tests.env("BACKOFF_EVALUATE", "1"))
}

pub(crate) fn client() -> Result<Program> {
    built("http", "build", "./examples/http", root().join("bindings-go"))
}

pub(crate) fn bench() -> Result<Program> {
    built("bench", "build", ".", root().join("bench/go"))
}

/// A program of a module, whose go.mod and go.sum pin what it needs.
fn built(name: &str, build: &str, package: &str, module: PathBuf) -> Result<Program> {
    progress(&format!("building Go's {name}"));
    let path = scratch().join(format!("go-{name}"));
    let build = go_alone(build).arg("-o").arg(&path).arg(package).within(module);
    build.env("GOFLAGS", "-mod=readonly").run()?;
    Ok(program_at(path))
}

/// Runs a program in a user's module that depends on ours, and returns its output.
pub(crate) fn snippet(code: &str) -> Result<String> {
    let user = scratch().join("go-user");
    let module = root().join("bindings-go");
    let mut manifest = format!(
        "module example.com/user\n\ngo 1.24\n\nrequire {MODULE} v0.0.0\n\nreplace {MODULE} => {}\n\n",
        module.display()
    );
    for (peer, version) in PEERS.iter().filter(|(peer, _)| code.contains(peer)) {
        manifest += &format!("require {peer} {version}\n");
    }
    write(user.join("go.mod"), manifest)?;
    write(user.join("main.go"), code)?;
    go_alone("run .").within(user).stdout()
}

/// The zip files of the module and of its adapters, as a module proxy serves them.
pub(crate) fn packages(_: Platforms) -> Result<Vec<PathBuf>> {
    let version = env!("CARGO_PKG_VERSION");
    let folder = scratch().join("go-package");
    empty(&folder)?;
    let pack = |name: &str, adapter: Option<&str>| {
        let path = folder.join(format!("backoff-{name}-{version}.zip"));
        let pack = go_alone(&format!("run ./pack v{version}")).arg(&path).args(adapter);
        pack.within(checks()).run()?;
        Ok(path)
    };
    let adapters =
        ADAPTERS.iter().map(|(name, ..)| pack(&format!("go-adapter-{name}"), Some(name)));
    std::iter::once(pack("go", None)).chain(adapters).collect()
}

/// Tests that replay vectors on one goroutine.
const VECTORS: [&str; 3] =
    ["TestSequencesAreTheDelaysOfTheirIndices", "TestEveryRequest", "TestEveryVector"];

/// Tests that compile the module again, from a proxy, from a zip file, and for other systems.
const AS_USERS_GET_IT: &str = "^(TestInstall|TestGoInstall|TestPackage|TestZipAlone)$";

/// Lints and tests of the module, with either engine, and of the package that users get; in the tests of a release on
/// every platform, and with other tools.
pub(crate) fn test(report: &mut Report) {
    report.check("gofmt", || {
        let unformatted = program("gofmt -l bindings-go bench/go").stdout()?;
        Ok(ensure!(unformatted.is_empty(), "{unformatted}"))
    });
    linted(report, "go vet", "vet");
    // The compilers of Go differ by processor, in what they make of the translated core, and `int` has 32 bits on 386.
    // The workflow runs the usual tests on arm64, too.
    let (processors, packages): (&[_], _) = if report.is_all {
        (&["arm64", "386", "s390x", "riscv64"], "./...")
    } else {
        (&["386"], ". ./internal/engine/...")
    };
    report.check("Go: it builds for other processors", || {
        let build = format!("build {packages}");
        processors.iter().try_for_each(|arch| go_alone(&build).env("GOARCH", arch).run())
    });
    report.suite("go test", || Ok(testing(go_alone("")).arg("./...")));
    // The race detector needs cgo, and its own compilation of everything: these packages have what goroutines share.
    // The vectors, which it makes slow and no goroutine shares, run under it with `--all`.
    let raced = if report.is_all { "./..." } else { ". ./sharedbudget" };
    let skipped = (!report.is_all).then(|| format!("-skip=^({})$", VECTORS.join("|")));
    report.suite("go test -race", || Ok(under_race_detector().args(skipped).words(raced)));
    report
        .suite("go test, over C", || Ok(testing(go_over_c("")?).words("-tags=backoff_cgo ./...")));
    report.suite("Go: the checks", || {
        Ok(testing(newest()?).args(["-skip", AS_USERS_GET_IT, CHECKS]))
    });
    if !report.is_all {
        return;
    }
    linted(report, "staticcheck", &format!("run {STATICCHECK}"));
    report.suite("Go: the module as its users get it", || {
        Ok(testing(newest()?).args(["-run", AS_USERS_GET_IT, CHECKS]))
    });
    report.runs_on(("Go", "checked by", "golangci-lint"), || {
        let lint = format!("run {GOLANGCI_LINT} run");
        go_alone(&lint).arg("./...").run()?;
        go_over_c(&lint)?.words("--build-tags=backoff_cgo ./...").run()?;
        Ok(GOLANGCI_LINT.rsplit('@').next().unwrap_or_default().to_owned())
    });
    report.pytest("Go everywhere", || {
        let pytest = python::tool("pytest")?.arg("bindings-go/internal/checks/everywhere.py");
        Ok(pytest.env_of(&go_over_c("")?).env_of(&go_alone("")))
    });
}

/// `go test` with the race detector, which needs cgo.
pub(crate) fn under_race_detector() -> Program {
    testing(go("").env("CGO_ENABLED", "1")).arg("-race")
}

/// Runs a linter on the module with each engine, on the checks and on the benchmarks.
fn linted(report: &mut Report, name: &str, line: &str) {
    report.check(name, || go_alone(line).arg("./...").run());
    report.check(&format!("{name}, over C"), || {
        go_over_c(line)?.args(["-tags=backoff_cgo", ENGINE]).run()
    });
    // By one command, because they compile the same packages.
    report.check(&format!("{name}, the checks and the adapters"), || {
        newest()?
            .words(line)
            .args([format!("{CHECKS}/..."), format!("{MODULE}/adapters/...")])
            .run()
    });
    if report.is_all {
        report.check(&format!("{name}, the benchmarks"), || {
            let go = go_alone(line).arg("./...").env("GOFLAGS", "-mod=readonly");
            go.within(root().join("bench/go")).run()
        });
    }
}
