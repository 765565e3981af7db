//! The adapters of Go, which are modules of their own in `bindings-go/adapters`, and one environment for all of
//! them: what several adapters need is compiled once.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use anyhow::Result;

use super::command::{MODULE, go_alone};
use crate::fresh;
use crate::shell::{empty, root, run, scratch};

/// An adapter: its folder, the module whose version the README shows, other modules of the host, and
/// their newest version.
pub(super) struct Adapter {
    pub(super) name: &'static str,
    pub(super) host: &'static str,
    others: &'static [&'static str],
    pub(super) newest: &'static str,
}

pub(super) const ADAPTERS: [Adapter; 9] = [
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

/// The go command in a module that chooses the newest version of every host. It takes the adapters, the checks
/// and our own module from this checkout.
pub(super) fn newest() -> Result<Command> {
    let folder = scratch().join("go-hosts");
    let manifests = ours().map(|module| format!("bindings-go{module}/go.mod"));
    let inputs: Vec<String> = manifests.chain([THIS.to_owned()]).collect();
    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
    let go = || {
        let mut go = go_alone();
        // Tests run programs with the same versions.
        go.env("GOWORK", "off").env("BACKOFF_GO_HOSTS", &folder).current_dir(&folder);
        go
    };
    fresh::unless_fresh(&folder, &inputs, || {
        empty(&folder)?;
        let mut manifest = String::from("module example.com/hosts\n\ngo 1.24\n");
        for module in ours() {
            let path = root().join(format!("bindings-go{module}"));
            writeln!(manifest, "require {MODULE}{module} v0.0.0")?;
            writeln!(manifest, "replace {MODULE}{module} => {}", path.display())?;
        }
        fs::write(folder.join("go.mod"), manifest)?;
        let hosts = ADAPTERS.iter().flat_map(|adapter| {
            let hosts = [adapter.host].into_iter().chain(adapter.others.iter().copied());
            hosts.map(|host| format!("{host}@{}", adapter.newest))
        });
        run(go().arg("get").args(hosts))
    })?;
    Ok(go())
}

/// Our modules, without the begin of their names.
fn ours() -> impl Iterator<Item = String> {
    let adapters = ADAPTERS.iter().map(|adapter| format!("/adapters/{}", adapter.name));
    [String::new(), "/internal/checks".to_owned()].into_iter().chain(adapters)
}

/// This file has the versions.
const THIS: &str = "xtask/src/languages/go/adapters.rs";
