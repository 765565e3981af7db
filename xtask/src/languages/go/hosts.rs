//! The adapters of Go on what they adapt: modules of their own in `bindings-go/adapters`.
//!
//! The `go.mod` of an adapter says the oldest versions that it supports, as users get them. Its `go.work`
//! replaces our own module by the one of this checkout, so the oldest versions are tested as in a clone.
//! For the newest versions, a copy of `go.mod` outside the adapter is upgraded.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::{MODULE, STATICCHECK, checks, go_alone, program};
use crate::compatibility::Ran;
use crate::fresh;
use crate::languages::Queue;
use crate::report::{Extent, Report, Runner};
use crate::servers::with_servers;
use crate::shell::{command, output, root, run, scratch};

/// An adapter: its folder, the module whose version the README shows, other modules of the host, and
/// their newest version.
struct Adapter {
    name: &'static str,
    host: &'static str,
    others: &'static [&'static str],
    newest: &'static str,
}

/// This file has their versions.
const THIS: &str = "xtask/src/languages/go/hosts.rs";

const ADAPTERS: [Adapter; 9] = [
    Adapter { name: "asynq", host: "github.com/hibiken/asynq", others: &[], newest: "v0.26.0" },
    Adapter { name: "avast", host: "github.com/avast/retry-go/v5", others: &[], newest: "v5.1.1" },
    Adapter { name: "aws", host: "github.com/aws/aws-sdk-go-v2", others: &[], newest: "v1.48.0" },
    Adapter { name: "clientgo", host: "k8s.io/client-go", others: &[], newest: "v0.37.2" },
    Adapter {
        name: "failsafe",
        host: "github.com/failsafe-go/failsafe-go",
        others: &[],
        newest: "v0.9.8",
    },
    Adapter { name: "postgres", host: "github.com/jackc/pgx/v5", others: &[], newest: "v5.12.0" },
    Adapter { name: "redis", host: "github.com/redis/go-redis/v9", others: &[], newest: "v9.23.0" },
    Adapter {
        name: "retryablehttp",
        host: "github.com/hashicorp/go-retryablehttp",
        others: &[],
        newest: "v0.7.8",
    },
    Adapter {
        name: "river",
        host: "github.com/riverqueue/river",
        others: &[
            "github.com/riverqueue/river/riverdriver/riverpgxv5",
            "github.com/riverqueue/river/rivertype",
        ],
        newest: "v0.51.1",
    },
];

/// Tests the adapters on the newest versions of their hosts, and with `Extent::All` also on the
/// oldest ones that they support.
pub(crate) fn test(extent: Extent, report: &mut Report) {
    report.check("Go: all adapters are known", all_are_known);
    for adapter in &ADAPTERS {
        let name = adapter.name;
        report.check(&format!("Go, {name}: go.mod is tidy"), || adapter.is_tidy());
        report.check(&format!("Go, {name}: go vet"), || {
            run(adapter.on_newest()?.args(["vet", "./..."]))
        });
        report.check(&format!("Go, {name}: staticcheck"), || run(&mut adapter.staticcheck()?));
        let suite = |go: Command| {
            let mut go = go;
            go.args(["test", "-count=1", "-json", "./..."]);
            with_servers(&mut go)?;
            Ok(go)
        };
        let what = format!("Go, {name}: {}", adapter.newest);
        report.suite_of(&what, Runner::Go, || suite(adapter.on_newest()?));
        adapter.ran_on(adapter.newest, report);
        if extent == Extent::Usual {
            continue;
        }
        match adapter.oldest() {
            Ok(oldest) if oldest == adapter.newest => {}
            Ok(oldest) => {
                let what = format!("Go, {name}: {oldest}");
                report.suite_of(&what, Runner::Go, || suite(adapter.on_oldest()));
                adapter.ran_on(&oldest, report);
            }
            Err(error) => report.check(&format!("Go, {name}: the oldest version"), || Err(error)),
        }
    }
}

/// The queues, on the newest versions.
pub(crate) fn queues() -> Result<Vec<Queue>> {
    let queue = |name: &'static str, server, resolution| -> Result<Queue> {
        let adapter = ADAPTERS.iter().find(|adapter| adapter.name == name).context("no adapter")?;
        let path = scratch().join("go-hosts").join(format!("{name}-queue"));
        run(adapter.on_newest()?.args(["build", "-o"]).arg(&path).arg("./internal/queue"))?;
        let program = command(path);
        Ok(Queue { name, server, resolution, program })
    };
    Ok(vec![
        // A time is rounded up to microseconds.
        queue("river", "postgres", Duration::from_micros(1))?,
        // It stores the second that follows.
        queue("asynq", "redis", Duration::from_secs(2))?,
    ])
}

/// The names of the adapters, which are those of their folders.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ADAPTERS.iter().map(|adapter| adapter.name)
}

/// Fails if a folder is not tested.
fn all_are_known() -> Result<()> {
    let folder = root().join("bindings-go/adapters");
    for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let name = entry?.file_name();
        let is_known = ADAPTERS.iter().any(|adapter| name == *adapter.name);
        ensure!(is_known, "{} is not tested", name.display());
    }
    Ok(())
}

impl Adapter {
    fn folder(&self) -> PathBuf {
        root().join("bindings-go/adapters").join(self.name)
    }

    /// The go command on the versions of `go.mod`.
    fn on_oldest(&self) -> Command {
        let mut go = go_alone();
        go.env("GOFLAGS", "-mod=readonly").current_dir(self.folder());
        go
    }

    /// The go command on another `go.mod`.
    fn on(&self, manifest: &Path) -> Command {
        let mut go = go_alone();
        go.env("GOFLAGS", format!("-mod=mod -modfile={}", manifest.display()))
            .env("GOWORK", "off")
            .current_dir(self.folder());
        go
    }

    /// The go command on the newest versions.
    fn on_newest(&self) -> Result<Command> {
        let manifest = self.place_of("newest");
        let own = format!("bindings-go/adapters/{}/go.mod", self.name);
        fresh::unless_fresh(&manifest, &[&own, THIS], || {
            self.copy(&manifest)?;
            let hosts = [self.host].into_iter().chain(self.others.iter().copied());
            let newest = hosts.map(|host| format!("{host}@{}", self.newest));
            run(self.on(&manifest).arg("get").args(newest))
        })?;
        Ok(self.on(&manifest))
    }

    /// Where another `go.mod` is.
    fn place_of(&self, purpose: &str) -> PathBuf {
        scratch().join("go-hosts").join(format!("{}-{purpose}.mod", self.name))
    }

    /// Copies `go.mod` and `go.sum`, and takes our own module from this checkout.
    fn copy(&self, manifest: &Path) -> Result<()> {
        fs::create_dir_all(scratch().join("go-hosts"))?;
        let sums = manifest.with_extension("sum");
        for (from, to) in [("go.mod", manifest), ("go.sum", &sums)] {
            fs::copy(self.folder().join(from), to)
                .with_context(|| format!("{}/{from}", self.name))?;
        }
        let ours = format!("-replace={MODULE}={}", root().join("bindings-go").display());
        run(go_alone().args(["mod", "edit", &ours]).arg(manifest))
    }

    /// Fails if `go.mod` or `go.sum` is not as `go mod tidy` would write it.
    fn is_tidy(&self) -> Result<()> {
        let manifest = self.place_of("tidy");
        self.copy(&manifest)?;
        run(self.on(&manifest).args(["mod", "tidy", "-diff"]))
    }

    /// Staticcheck on the newest versions. It is built first, because the go command that runs a
    /// program of another module accepts no other `go.mod`.
    fn staticcheck(&self) -> Result<Command> {
        let program = scratch().join("go-tools/staticcheck");
        fresh::unless_fresh(&program, &["xtask/src/languages/go.rs"], || {
            let folder = program.parent().context("a folder")?;
            run(go_alone().args(["install", STATICCHECK]).env("GOBIN", folder))
        })?;
        let mut check = Command::new(program);
        let go = self.on_newest()?;
        for (name, value) in go.get_envs() {
            if let Some(value) = value {
                check.env(name, value);
            }
        }
        check.arg("./...").current_dir(self.folder());
        Ok(check)
    }

    /// The version of the host in `go.mod`.
    fn oldest(&self) -> Result<String> {
        let list = output(self.on_oldest().args(["list", "-m", "-f", "{{.Version}}", self.host]))?;
        ensure!(list.success, "{}", list.text);
        Ok(list.text.trim().to_owned())
    }

    fn ran_on(&self, version: &str, report: &mut Report) {
        report.ran(Ran {
            language: "Go".into(),
            group: "adapters".into(),
            name: self.name.into(),
            version: version.trim_start_matches('v').into(),
        });
    }
}

/// A process of the fleet.
pub(crate) fn fleet() -> Result<Command> {
    program("fleet", "./fleet", &checks())
}
