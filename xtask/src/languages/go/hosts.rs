//! The adapters of Go on what they adapt. Their tests are in the module `internal/checks`, whose `go.mod` has the oldest
//! versions that they support, as their own have.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::adapters::{ADAPTERS, Adapter, newest};
use super::command::{MODULE, STATICCHECK, checks, go_alone, testing};
use crate::compatibility::Ran;
use crate::report::{Extent, Report, Runner};
use crate::servers::with_servers;
use crate::shell::{command, output, root, run, scratch};

/// Tests the adapters on the newest versions of their hosts, and with `Extent::All` also on the
/// oldest ones that they support.
pub(crate) fn test(extent: Extent, report: &mut Report) {
    report.check("Go: all adapters are known", all_are_known);
    let all = format!("{MODULE}/adapters/...");
    report.check("Go, the adapters: go vet", || run(newest()?.args(["vet", &all])));
    if extent == Extent::All {
        report.check("Go, the adapters: staticcheck", || {
            run(newest()?.args(["run", STATICCHECK, &all]))
        });
    }
    let tests = format!("{MODULE}/internal/checks/adapters");
    report.suite_of("Go, the adapters: the newest versions", Runner::Go, || {
        let mut go = testing(newest()?);
        with_servers(go.args([&all, &tests]))?;
        Ok(go)
    });
    for adapter in &ADAPTERS {
        report.check(&format!("Go, {}: go.mod is tidy", adapter.name), || adapter.is_tidy());
        adapter.ran_on(adapter.newest, report);
    }
    if extent == Extent::Usual {
        return;
    }
    report.suite_of("Go, the adapters: the oldest versions", Runner::Go, || {
        let mut go = testing(on_oldest(&checks()));
        with_servers(go.arg("./adapters"))?;
        Ok(go)
    });
    for adapter in &ADAPTERS {
        report.check(&format!("Go, {}: the oldest version", adapter.name), || {
            run(on_oldest(&adapter.folder()).args(["vet", "./..."]))
        });
        match adapter.oldest() {
            Ok(oldest) if oldest == adapter.newest => {}
            Ok(oldest) => adapter.ran_on(&oldest, report),
            Err(error) => report.check(adapter.name, || Err(error)),
        }
    }
}

/// A job queue, on the newest version.
pub(crate) fn queue(name: &str) -> Result<Command> {
    program(&format!("{name}-queue"), &format!("internal/checks/queues/{name}"))
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

/// The go command on the versions of `go.mod`.
fn on_oldest(folder: &Path) -> Command {
    let mut go = go_alone();
    go.env("GOFLAGS", "-mod=readonly").current_dir(folder);
    go
}

impl Adapter {
    fn folder(&self) -> PathBuf {
        root().join("bindings-go/adapters").join(self.name)
    }

    /// Fails if `go.mod` or `go.sum` is not as `go mod tidy` would write it, with our own module from this
    /// checkout.
    fn is_tidy(&self) -> Result<()> {
        let folder = scratch().join("go-tidy");
        fs::create_dir_all(&folder)?;
        let manifest = folder.join(format!("{}.mod", self.name));
        let sums = manifest.with_extension("sum");
        for (from, to) in [("go.mod", &manifest), ("go.sum", &sums)] {
            // A module that needs no others has no go.sum.
            let text = fs::read(self.folder().join(from)).unwrap_or_default();
            fs::write(to, text).with_context(|| format!("{}/{from}", self.name))?;
        }
        let ours = format!("-replace={MODULE}={}", root().join("bindings-go").display());
        run(go_alone().args(["mod", "edit", &ours]).arg(&manifest))?;
        let mut tidy = go_alone();
        tidy.env("GOFLAGS", format!("-mod=mod -modfile={}", manifest.display()));
        run(tidy.env("GOWORK", "off").current_dir(self.folder()).args(["mod", "tidy", "-diff"]))
    }

    /// The version of the host in the `go.mod` of the tests.
    fn oldest(&self) -> Result<String> {
        let list =
            output(on_oldest(&checks()).args(["list", "-m", "-f", "{{.Version}}", self.host]))?;
        ensure!(list.success, "{}", list.text);
        Ok(list.text.trim().to_owned())
    }

    fn ran_on(&self, version: &str, report: &mut Report) {
        report.ran([Ran::new("Go", "adapters", self.name, version.trim_start_matches('v'))]);
    }
}

/// A process of the fleet.
pub(crate) fn fleet() -> Result<Command> {
    program("fleet", "internal/checks/fleet")
}

/// A program of our modules, on the newest versions.
fn program(name: &str, package: &str) -> Result<Command> {
    let path = scratch().join(format!("go-{name}"));
    run(newest()?.args(["build", "-o"]).arg(&path).arg(format!("{MODULE}/{package}")))?;
    Ok(command(path))
}
