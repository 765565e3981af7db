//! The adapters of JavaScript on what they adapt.

use crate::languages::js::{folder, tarball};
use crate::report::{Extent, Report, Runner};
use crate::servers::with_servers;
use crate::shell::{command, scratch};

/// Tests the adapters on the newest versions of their hosts, and with `Extent::All` also on the
/// oldest ones that they support.
pub(crate) fn test(extent: Extent, report: &mut Report) {
    let versions: &[_] = match extent {
        Extent::Usual => &["newest"],
        Extent::All => &["newest", "oldest"],
    };
    for version in versions {
        let results = scratch().join("npm-hosts.xml");
        let what = format!("the adapters of JavaScript, {version} hosts");
        report.suite_of(&what, Runner::Junit(results.clone()), || {
            let mut test = command("node");
            test.current_dir(folder())
                .args(["tests/hosts/run.mjs", version, "--test-reporter=junit"])
                .arg(format!("--test-reporter-destination={}", results.display()))
                .env("BACKOFF_WASM_TARBALL", tarball()?)
                .env("BACKOFF_WASM_HOSTS", scratch().join(format!("npm-hosts-{version}")));
            with_servers(&mut test)?;
            Ok(test)
        });
    }
}
