//! The adapters of Rust on what they adapt.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use crate::crates;
use crate::languages::rust::packaged::{on, packaged};
use crate::report::{Extent, Report, Runner};
use crate::servers::with_servers;
use crate::shell::{cargo, root, run, scratch};

/// The oldest version of each library. Those of one line are tested together, because reqwest needs
/// a newer tower.
const OLDEST: [Oldest; 3] = [
    Oldest {
        features: &["reqwest-middleware"],
        tests: &["reqwest_middleware/main.rs"],
        examples: &[],
        versions: &[("reqwest-middleware", "0.5.0"), ("reqwest", "0.13.5")],
    },
    Oldest {
        features: &["postgres", "redis-cluster", "redis-sentinel"],
        tests: &["stores/main.rs"],
        examples: &["redis_budget.rs"],
        versions: &[("postgres", "0.19.13"), ("redis", "1.0.0")],
    },
    Oldest {
        features: &["tower"],
        tests: &["tower.rs", "iterators.rs"],
        examples: &[],
        versions: &[("tower", "0.5.0"), ("backon", "1.3.0"), ("tokio-retry", "0.3.0")],
    },
];

struct Oldest {
    features: &'static [&'static str],
    tests: &'static [&'static str],
    examples: &'static [&'static str],
    versions: &'static [(&'static str, &'static str)],
}

/// Tests the adapters on servers, and with `Extent::All` also over TLS and on the oldest versions of
/// their hosts that they support. The tests of the crates ran on the newest ones, which `Cargo.lock` has.
pub(crate) fn test(extent: Extent, report: &mut Report) {
    report.suite_of("the stores of Rust on their servers", Runner::Summary, || {
        crates::example("redis_budget")?; // a test runs it
        let mut test = crates::tests_named("stores")?;
        with_servers(&mut test)?;
        Ok(test)
    });
    if extent == Extent::All {
        report.suite_of("the adapters of Rust over TLS", Runner::Summary, || {
            let mut cargo = cargo();
            cargo.args(["test", "--locked"]);
            cargo.current_dir(root().join("bindings-rust/adapters/tests/tls"));
            Ok(cargo)
        });
        for oldest in &OLDEST {
            let what =
                format!("the adapters of Rust, oldest hosts: {}", oldest.features.join(", "));
            report.suite_of(&what, Runner::Summary, || oldest.tests());
        }
    }
}

impl Oldest {
    /// The tests, over the packaged crates.
    fn tests(&self) -> Result<Command> {
        let user = scratch().join("rust-hosts").join(self.features.join("-"));
        fs::create_dir_all(user.join("src"))?;
        fs::write(user.join("src/lib.rs"), "")?;
        fs::write(user.join("Cargo.toml"), self.manifest()?)?;
        fs::copy(root().join("Cargo.lock"), user.join("Cargo.lock")).context("Cargo.lock")?;
        for (name, version) in self.versions {
            run(&mut on(&user, &["update", "--quiet", name, "--precise", version]))?;
        }
        // A test runs them.
        run(&mut on(&user, &["build", "--quiet", "--examples"]))?;
        let mut test = on(&user, &["test", "--tests"]);
        with_servers(&mut test)?;
        Ok(test)
    }

    fn manifest(&self) -> Result<String> {
        let path = |name| Ok(format!("{{ path = {:?} }}", packaged(name)?.display().to_string()));
        let [core, loops]: [Result<_>; 2] = [path("backoff-core"), path("backoff-retry")];
        let adapters = packaged("backoff-adapters")?.display().to_string();
        let features = self.features;
        let mut manifest = format!(
            "[package]\nname = \"user\"\nedition = \"2024\"\n[workspace]\n\
             [patch.crates-io]\nbackoff-core = {}\nbackoff-retry = {}\n\
             [dependencies]\n\
             backoff-retry = {{ version = \"*\", features = [\"shared-budget\"] }}\n\
             backoff-adapters = {{ path = {adapters:?}, features = {features:?} }}\n\
             backon = {{ version = \"1\", default-features = false, features = [\"tokio-sleep\"] }}\n\
             futures-core = \"0.3\"\nhttp = \"1\"\nserde_json = \"1\"\n\
             tokio = {{ version = \"1\", features = [\"macros\", \"rt-multi-thread\", \"test-util\"] }}\n",
            core?, loops?
        );
        manifest += match features {
            ["postgres", ..] => {
                "postgres = \"0.19\"\nredis = { version = \"1\", default-features = false }\n"
            }
            ["tower"] => {
                "tokio-retry = \"0.3\"\n\
                 tower = { version = \"0.5\", features = [\"retry\", \"util\"] }\n"
            }
            _ => {
                "async-trait = \"0.1\"\n\
                 reqwest = { version = \"0.13\", default-features = false, features = [\"stream\"] }\n\
                 reqwest-middleware = { version = \"0.5\", default-features = false }\n"
            }
        };
        let adapters = root().join("bindings-rust/adapters");
        let target = |kind, folder, file: &str| {
            let path = adapters.join(folder).join(file).display().to_string();
            let name = file.split(['/', '.']).next().unwrap_or_default();
            format!("[[{kind}]]\nname = {name:?}\npath = {path:?}\n")
        };
        manifest.extend(self.tests.iter().map(|test| target("test", "tests", test)));
        manifest.extend(self.examples.iter().map(|example| target("example", "examples", example)));
        Ok(manifest)
    }
}

/// The program of a fleet.
pub(crate) fn fleet() -> Result<Command> {
    crates::example("fleet")
}

/// Clients that contend for one budget.
pub(crate) fn contention() -> Result<Command> {
    crates::example("contention")
}
