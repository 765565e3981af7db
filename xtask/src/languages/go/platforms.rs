//! Go on every platform, and under other tools.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::command::{checks, go, go_alone, go_over_c};
use crate::report::Report;
use crate::shell::{Output, command, empty, output, root, run, scratch, stdout};

/// Platforms that run here under qemu: their names in Go and in qemu.
const QEMU: [(&str, &str); 6] = [
    ("arm", "arm"),
    ("arm64", "aarch64"),
    ("mips", "mips"),
    ("ppc64", "ppc64"),
    ("riscv64", "riscv64"),
    ("s390x", "s390x"),
];

/// The packages that users import.
const PACKAGES: [&str; 4] = [".", "./backoffhttp", "./cenkalti", "./sharedbudget"];

const GOLANGCI_LINT: &str = "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0";

pub(super) fn test(report: &mut Report) {
    report.runs_on(("Go", "versions", "Go"), version);
    report.runs_on(("Go", "platforms", "linux/amd64"), || conformance(&mut go_alone()));
    // Under qemu 7, any Go program for 386 with several threads crashes. The processor runs it, too.
    report
        .runs_on(("Go", "platforms", "linux/386"), || conformance(go_alone().env("GOARCH", "386")));
    for (arch, qemu) in QEMU {
        report.runs_on(("Go", "platforms", &format!("linux/{arch} (qemu)")), || {
            let mut go = go_alone();
            go.env("GOOS", "linux").env("GOARCH", arch);
            go.env("GOFLAGS", format!("-mod=mod -exec=qemu-{qemu}-static"));
            run(command(format!("qemu-{qemu}-static")).arg("--version"))?;
            conformance(&mut go)
        });
    }
    report.runs_on(("Go", "platforms", "js/wasm (Node.js)"), || {
        let mut go = go_alone();
        let exec = format!(
            "{}/lib/wasm/go_js_wasm_exec",
            stdout(go_alone().args(["env", "GOROOT"]))?.trim()
        );
        go.env("GOOS", "js").env("GOARCH", "wasm").env("GOFLAGS", format!("-mod=mod -exec={exec}"));
        conformance(&mut go)
    });
    report.runs_on(("Go", "platforms", "wasip1/wasm (Node.js)"), || {
        let mut go = go_alone();
        let exec = checks().join("wasip1_exec.mjs");
        go.env("GOOS", "wasip1").env("GOARCH", "wasm");
        go.env("GOFLAGS", format!("-mod=mod -exec={}", exec.display()));
        conformance(&mut go)
    });
    report.runs_on(("Go", "platforms", "linux/amd64 (static, in an empty root)"), in_an_empty_root);
    report.runs_on(("Go", "builds for", "all of go tool dist list"), every_platform);
    report.runs_on(("Go", "checked by", "golangci-lint"), || {
        run(go_alone().args(["run", GOLANGCI_LINT, "run", "./..."]))?;
        run(go_over_c()?.args(["run", GOLANGCI_LINT, "run", "--build-tags=backoff_cgo", "./..."]))?;
        Ok(GOLANGCI_LINT.rsplit('@').next().unwrap_or_default().to_owned())
    });
}

fn version() -> Result<String> {
    Ok(stdout(go_alone().args(["env", "GOVERSION"]))?.trim().trim_start_matches("go").to_owned())
}

/// Runs the tests that need no other programs, all vectors among them.
fn conformance(go: &mut Command) -> Result<String> {
    const TESTS: &str =
        "^(TestEveryVector|TestGoroutines.*|TestZero.*|TestRetry.*|TestCore.*|Example.*)$";
    go.args(["test", "-count=1", "-v", "-run", TESTS, ".", "./internal/engine"]);
    let Output { success, text } = output(go)?;
    let vectors = text.matches("--- PASS: TestEveryVector/").count();
    ensure!(success && vectors > 500, "{vectors} vectors passed\n{text}");
    Ok(String::new())
}

/// Runs a static program in a folder with nothing else, where it refuses a policy by the message of
/// the core.
fn in_an_empty_root() -> Result<String> {
    let empty_root = scratch().join("go-empty-root");
    empty(&empty_root)?;
    run(go_alone().args(["build", "-o"]).arg(empty_root.join("http")).arg("./examples/http"))?;
    let mut chroot = command("unshare");
    chroot.args(["--map-root-user", "chroot"]).arg(&empty_root);
    chroot.args(["/http", "http://localhost", "full:base=1", "1", "key"]);
    let printed = output(&mut chroot)?.text;
    ensure!(printed.contains("base has no unit"), "{printed}");
    Ok(String::new())
}

/// Builds and vets for every platform of Go. Returns how many there are.
fn every_platform() -> Result<String> {
    let list = stdout(go_alone().args(["tool", "dist", "list"]))?;
    let overlay = without_tests()?;
    for platform in list.lines() {
        let (system, arch) = platform.split_once('/').context("go tool dist list")?;
        let on = |mut go: Command| {
            go.env("GOOS", system).env("GOARCH", arch);
            go
        };
        run(on(go_alone()).args(["build"]).args(PACKAGES)).with_context(|| platform.to_owned())?;
        // Without cgo, `go vet` refuses the platforms whose programs a C linker links. It links none.
        let mut vet = on(go());
        vet.env("CGO_ENABLED", "1").arg("vet").arg(format!("-overlay={}", overlay.display()));
        run(vet.args(PACKAGES)).with_context(|| platform.to_owned())?;
    }
    Ok(format!("({})", list.lines().count()))
}

/// A file by which the go command sees the module without its tests. They need most of the standard
/// library, which would be compiled for each platform.
fn without_tests() -> Result<PathBuf> {
    let mut hidden = serde_json::Map::new();
    for folder in PACKAGES.into_iter().chain(["internal/engine"]) {
        let folder = root().join("bindings-go").join(folder);
        for file in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = file?.path();
            if path.to_string_lossy().ends_with("_test.go") {
                hidden.insert(path.to_string_lossy().into_owned(), "".into());
            }
        }
    }
    ensure!(hidden.len() > 10, "only {} files of tests", hidden.len());
    let overlay = scratch().join("go-overlay.json");
    fs::create_dir_all(scratch())?;
    fs::write(&overlay, serde_json::json!({ "Replace": hidden }).to_string())?;
    Ok(overlay)
}
