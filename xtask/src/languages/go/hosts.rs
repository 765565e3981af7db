//! The adapters of Go, which are modules of their own in `bindings-go/adapters`, on what they adapt. Their tests are in
//! the module `internal/checks`, whose `go.mod` has the oldest versions that they support, as their own have.

use super::command::{CHECKS, MODULE, checks, go_alone, testing};
use crate::fresh;
use crate::report::Report;
use crate::servers::with_servers;
use crate::shell::*;

/// The adapters: the folder, the module whose version the README shows, and its newest version.
pub(super) const ADAPTERS: [(&str, &str, &str); 10] = [
    ("asynq", "github.com/hibiken/asynq", "v0.26.0"),
    ("avast", "github.com/avast/retry-go/v5", "v5.1.1"),
    ("aws", "github.com/aws/aws-sdk-go-v2", "v1.48.0"),
    ("clientgo", "k8s.io/client-go", "v0.37.2"),
    ("failsafe", "github.com/failsafe-go/failsafe-go", "v0.9.8"),
    ("opentelemetry", "go.opentelemetry.io/otel", "v1.47.0"),
    ("postgres", "github.com/jackc/pgx/v5", "v5.12.0"),
    ("redis", "github.com/redis/go-redis/v9", "v9.23.0"),
    ("retryablehttp", "github.com/hashicorp/go-retryablehttp", "v0.7.8"),
    ("river", "github.com/riverqueue/river", "v0.51.1"),
];

/// Other modules of a host, which have its version.
const OTHERS: [(&str, &str); 4] = [
    ("opentelemetry", "sdk"),
    ("opentelemetry", "sdk/metric"),
    ("river", "riverdriver/riverpgxv5"),
    ("river", "rivertype"),
];

/// The go command in a module that chooses the newest version of every host, so that what several adapters need is
/// compiled once. It takes the adapters, the checks and our own module from this checkout.
pub(super) fn newest() -> Result<Program> {
    let folder = scratch().join("go-hosts");
    let adapters = ADAPTERS.iter().map(|(name, ..)| format!("/adapters/{name}"));
    let ours = [String::new(), "/internal/checks".to_owned()].into_iter().chain(adapters);
    let manifests = ours.clone().map(|module| format!("bindings-go{module}/go.mod"));
    let inputs: Vec<_> = manifests.chain(["xtask/src/languages/go/hosts.rs".to_owned()]).collect();
    // Tests run programs with the same versions.
    let go = go_alone("").env("GOWORK", "off").env("BACKOFF_GO_HOSTS", &folder).within(&folder);
    // The compiler takes a quarter of the time for these if it inlines nothing.
    let slow = ["github.com/redis/go-redis/v9", "github.com/jackc/pgx/v5/pgtype"];
    let flags = slow.map(|package| format!(" -gcflags={package}=-l")).concat();
    let go = go.env("GOFLAGS", format!("-mod=mod{flags}"));
    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
    fresh::built(folder, &inputs, |folder| {
        let mut manifest = String::from("module example.com/hosts\n\ngo 1.24\n");
        for module in ours {
            let path = root().join(format!("bindings-go{module}"));
            manifest += &format!("require {MODULE}{module} v0.0.0\n");
            manifest += &format!("replace {MODULE}{module} => {}\n", path.display());
        }
        write(folder.join("go.mod"), manifest)?;
        let get = ADAPTERS.iter().fold(go.clone().arg("get"), |get, (name, host, version)| {
            let others = OTHERS.iter().filter(|(of, _)| of == name);
            let others = others.map(|(_, other)| format!("{host}/{other}@{version}"));
            get.arg(format!("{host}@{version}")).args(others)
        });
        get.run()
    })?;
    Ok(go)
}

/// Tests the adapters on the newest versions of their hosts, and in the tests of a release also on the
/// oldest ones that they support.
pub(crate) fn test(report: &mut Report) {
    report.check("Go: all adapters are known", || {
        let known = ADAPTERS.map(|(name, ..)| folder_of(name));
        let found = entries(&root().join("bindings-go/adapters"))?;
        Ok(ensure!(found == known, "found {found:?}"))
    });
    let all = format!("{MODULE}/adapters/...");
    report.suite("Go, the adapters: the newest versions", || {
        with_servers(testing(newest()?).args([&all, &format!("{CHECKS}/adapters")]))
    });
    for (name, _, version) in ADAPTERS {
        report.check(&format!("Go, {name}: go.mod is tidy"), || is_tidy(name));
        ran(report, name, version);
    }
    if !report.is_all {
        return;
    }
    report.suite("Go, the adapters: the oldest versions", || {
        with_servers(testing(on_oldest("", checks())).arg("./adapters"))
    });
    for (name, host, newest) in ADAPTERS {
        let what = format!("Go, {name}: the oldest version");
        report.check(&what, || on_oldest("vet ./...", folder_of(name)).run());
        let list = on_oldest("list -m -f {{.Version}}", checks()).arg(host);
        match report.timed(&what, || list.stdout()) {
            Some(oldest) if oldest.trim() != newest => ran(report, name, oldest.trim()),
            _ => {}
        }
    }
}

fn ran(report: &mut Report, name: &str, version: &str) {
    report.ran(("Go", "adapters", name), version.trim_start_matches('v'));
}

fn folder_of(name: &str) -> PathBuf {
    root().join("bindings-go/adapters").join(name)
}

/// The go command on the versions of `go.mod`.
fn on_oldest(line: &str, folder: PathBuf) -> Program {
    go_alone(line).env("GOFLAGS", "-mod=readonly").within(folder)
}

/// Fails if `go.mod` or `go.sum` is not as `go mod tidy` would write it, with our own module from this
/// checkout.
fn is_tidy(name: &str) -> Result<()> {
    let manifest = scratch().join("go-tidy").join(format!("{name}.mod"));
    copy(folder_of(name).join("go.mod"), &manifest)?;
    // A module that needs no others has no go.sum.
    let sums = fs::read(folder_of(name).join("go.sum")).unwrap_or_default();
    write(manifest.with_extension("sum"), sums)?;
    let ours = format!("-replace={MODULE}={}", root().join("bindings-go").display());
    go_alone("mod edit").arg(ours).arg(&manifest).run()?;
    let flags = format!("-mod=mod -modfile={}", manifest.display());
    let tidy = go_alone("mod tidy -diff").env("GOFLAGS", flags).env("GOWORK", "off");
    tidy.within(folder_of(name)).run()
}

pub(crate) fn queue(name: &str) -> Result<Program> {
    build(&format!("{name}-queue"), &format!("queues/{name}"))
}

pub(crate) fn fleet() -> Result<Program> {
    build("fleet", "fleet")
}

/// The client of `tests/hostile`.
pub(crate) fn hostile_client() -> Result<Program> {
    build("hostile", "hostile")
}

fn build(name: &str, package: &str) -> Result<Program> {
    let path = scratch().join(format!("go-{name}"));
    newest()?.args(["build", "-o"]).arg(&path).arg(format!("{CHECKS}/{package}")).run()?;
    Ok(program_at(path))
}
