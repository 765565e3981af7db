//! The adapters of Rust on what they adapt.

use crate::crates;
use crate::languages::rust::packaged::{on, user};
use crate::report::Report;
use crate::servers::with_servers;
use crate::shell::*;

/// The oldest version of each library. Those of one row are tested together, because reqwest needs
/// a newer tower.
const OLDEST: [Oldest; 3] = [
    Oldest {
        features: &["reqwest-middleware"],
        targets: "tests/reqwest_middleware/main.rs",
        versions: "reqwest-middleware@0.5.0 reqwest@0.13.5",
        dependencies: r#"async-trait = "0.1"
reqwest = { version = "0.13", default-features = false, features = ["stream"] }
reqwest-middleware = { version = "0.5", default-features = false }
"#,
    },
    Oldest {
        features: &["postgres", "redis-cluster", "redis-sentinel"],
        targets: "tests/stores/main.rs examples/redis_budget.rs",
        versions: "postgres@0.19.13 redis@1.0.0",
        dependencies: r#"postgres = "0.19"
redis = { version = "1", default-features = false }
"#,
    },
    Oldest {
        features: &["tower"],
        targets: "tests/tower.rs tests/iterators.rs",
        versions: "tower@0.5.0 backon@1.3.0 tokio-retry@0.3.0",
        dependencies: r#"tokio-retry = "0.3"
tower = { version = "0.5", features = ["retry", "util"] }
"#,
    },
];

struct Oldest {
    features: &'static [&'static str],
    /// The tests of the adapters that need these features, and the examples that they run.
    targets: &'static str,
    versions: &'static str,
    dependencies: &'static str,
}

/// Tests the adapters on servers, and in the tests of a release also over TLS and on the oldest versions of
/// their hosts that they support. The tests of the crates ran on the newest ones, which `Cargo.lock` has.
pub(crate) fn test(report: &mut Report) {
    report.suite("the stores of Rust on their servers", || {
        crates::example("redis_budget")?; // a test runs it
        with_servers(crates::tests_named("stores")?)
    });
    if report.is_all {
        report.suite("the adapters of Rust over TLS", || {
            Ok(cargo("test --locked").within(root().join("bindings-rust/adapters/tests/tls")))
        });
        for oldest in &OLDEST {
            let what =
                format!("the adapters of Rust, oldest hosts: {}", oldest.features.join(", "));
            report.suite(&what, || oldest.tests());
        }
    }
}

impl Oldest {
    /// The tests, over the packaged crates.
    fn tests(&self) -> Result<Program> {
        let name = format!("rust-hosts/{}", self.features.join("-"));
        let user = user(&name, &self.manifest()?, "src/lib.rs", "")?;
        for (name, version) in self.versions.split(' ').filter_map(|words| words.split_once('@')) {
            on(&user, &format!("update --quiet {name} --precise {version}"))?.run()?;
        }
        // A test runs them.
        on(&user, "build --quiet --examples")?.run()?;
        with_servers(on(&user, "test --tests")?)
    }

    /// The dependencies and the tests.
    fn manifest(&self) -> Result<String> {
        let (features, dependencies) = (self.features, self.dependencies);
        let mut manifest = format!(
            r#"backoff-retry = {{ version = "*", features = ["shared-budget"] }}
backoff-adapters = {{ version = "*", features = {features:?} }}
backon = {{ version = "1", default-features = false, features = ["tokio-sleep"] }}
futures-core = "0.3"
http = "1"
serde_json = "1"
tokio = {{ version = "1", features = ["macros", "rt-multi-thread", "test-util"] }}
{dependencies}"#
        );
        for target in self.targets.split(' ') {
            let (kind, file) = target.split_once("s/").context("tests or examples")?;
            let name = file.split(['/', '.']).next().unwrap_or_default();
            let path = root().join("bindings-rust/adapters").join(target);
            manifest += &format!("[[{kind}]]\nname = {name:?}\npath = {path:?}\n");
        }
        Ok(manifest)
    }
}
