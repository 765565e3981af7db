//! The adapters of Go on what they adapt.
//!
//! The `go.mod` of an adapter says the oldest versions that it supports, as users get them. Its `go.work`
//! replaces our own module by the one of this checkout, so the oldest versions are tested as in a clone.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::adapters::{ADAPTERS, Adapter, newest};
use super::command::{MODULE, STATICCHECK, go_alone, testing};
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
    for adapter in &ADAPTERS {
        let name = adapter.name;
        report.check(&format!("Go, {name}: go.mod is tidy"), || adapter.is_tidy());
        let suite = |go: Command, packages: &str| {
            let mut go = testing(go);
            go.arg(packages);
            with_servers(&mut go)?;
            Ok(go)
        };
        let what = format!("Go, {name}: {}", adapter.newest);
        report.suite_of(&what, Runner::Go, || suite(newest()?, &adapter.packages()));
        adapter.ran_on(adapter.newest, report);
        if extent == Extent::Usual {
            continue;
        }
        match adapter.oldest() {
            Ok(oldest) if oldest == adapter.newest => {}
            Ok(oldest) => {
                let what = format!("Go, {name}: {oldest}");
                report.suite_of(&what, Runner::Go, || suite(adapter.on_oldest(), "./..."));
                adapter.ran_on(&oldest, report);
            }
            Err(error) => report.check(&format!("Go, {name}: the oldest version"), || Err(error)),
        }
    }
}

/// A job queue, on the newest version.
pub(crate) fn queue(name: &str) -> Result<Command> {
    program(&format!("{name}-queue"), &format!("adapters/{name}/internal/queue"))
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

    /// Its packages.
    fn packages(&self) -> String {
        format!("{MODULE}/adapters/{}/...", self.name)
    }

    /// Fails if `go.mod` or `go.sum` is not as `go mod tidy` would write it, with our own module from this
    /// checkout.
    fn is_tidy(&self) -> Result<()> {
        let folder = scratch().join("go-tidy");
        fs::create_dir_all(&folder)?;
        let manifest = folder.join(format!("{}.mod", self.name));
        let sums = manifest.with_extension("sum");
        for (from, to) in [("go.mod", &manifest), ("go.sum", &sums)] {
            fs::copy(self.folder().join(from), to)
                .with_context(|| format!("{}/{from}", self.name))?;
        }
        let ours = format!("-replace={MODULE}={}", root().join("bindings-go").display());
        run(go_alone().args(["mod", "edit", &ours]).arg(&manifest))?;
        let mut tidy = go_alone();
        tidy.env("GOFLAGS", format!("-mod=mod -modfile={}", manifest.display()));
        run(tidy.env("GOWORK", "off").current_dir(self.folder()).args(["mod", "tidy", "-diff"]))
    }

    /// The version of the host in `go.mod`.
    fn oldest(&self) -> Result<String> {
        let list = output(self.on_oldest().args(["list", "-m", "-f", "{{.Version}}", self.host]))?;
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
