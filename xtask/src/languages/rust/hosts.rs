//! The adapters of Rust on what they adapt.

use crate::crates;
use crate::report::Report;
use crate::servers::with_servers;
use crate::shell::*;

/// Tests the adapters on servers, and in the tests of a release also over TLS and on the oldest versions of
/// their hosts that they support. The tests of the crates ran on the newest ones, which `Cargo.lock` has.
pub(crate) fn test(report: &mut Report) {
    report.suite("the stores of Rust on their servers", || {
        crates::example("redis_budget")?; // a test runs it
        with_servers(crates::tests_named("stores")?)
    });
    if !report.is_all {
        return;
    }
    let tests = root().join("bindings-rust/adapters/tests");
    report.suite("the adapters of Rust over TLS", || {
        Ok(cargo("test --locked").within(tests.join("tls")))
    });
    for hosts in ["reqwest", "stores", "tower"] {
        report.suite(&format!("the adapters of Rust, oldest hosts: {hosts}"), || {
            with_servers(cargo("test --locked").within(tests.join("oldest").join(hosts)))
        });
    }
}
