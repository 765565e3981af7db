//! Sanitizers in libbackoff itself, under the tests in C, whose own code has them too. The tests of each change have them
//! in the tests alone.

use crate::fresh;
use crate::harden::Scale;
use crate::harden::nightly::nightly;
use crate::languages::c;
use crate::report::Report;
use crate::shell::*;

/// Rust's name of a sanitizer, the flags of the C compiler, and whether it reports races.
const SANITIZERS: [(&str, &str, bool); 2] = [
    ("thread", "-fsanitize=thread -include tests/thread_sanitizer.h", true),
    ("address", "-fsanitize=address,undefined -fno-sanitize-recover=all", false),
];

const TARGET: &str = "x86_64-unknown-linux-gnu";

pub(super) fn run(report: &mut Report, scale: Scale) {
    // A multiple of ten, and of the number of reasons.
    let operations = if scale == Scale::Quick { 350 } else { 17500 };
    for (name, flags, finds_races) in SANITIZERS {
        report.suite(&format!("the {name} sanitizer in libbackoff"), || {
            let make = c::make_over(&prefix(name)?, "bindings-c", &folder(name).join("programs"));
            let make = make.arg(format!("CC=cc {flags} -DOPERATIONS={operations} -DLOOPS=5000"));
            Ok(make.args(["checkers"]).args((!finds_races).then_some("RACE=")))
        });
    }
}

fn folder(sanitizer: &str) -> PathBuf {
    scratch().join("sanitizers").join(sanitizer)
}

/// The installed library, with a static one that has the sanitizer, and no shared one.
fn prefix(sanitizer: &str) -> Result<PathBuf> {
    fresh::made(folder(sanitizer).join("prefix"), |prefix| {
        let build = "rustc --locked --release --package bindings-c --crate-type staticlib";
        let build = nightly(build)?.args(["--target", TARGET, "-Zbuild-std=core,panic_abort"]);
        let target = folder(sanitizer).join("target");
        let build = build.env("RUSTFLAGS", format!("-Zsanitizer={sanitizer} -Cdebuginfo=1"));
        build.env("CARGO_TARGET_DIR", &target).run()?;
        program("cp -a").arg(c::prefix()?.join(".")).arg(prefix).run()?;
        for path in entries(&prefix.join("lib"))? {
            if path.to_string_lossy().contains("libbackoff.") {
                fs::remove_file(path)?;
            }
        }
        let name = "libbackoff.a";
        copy(target.join(TARGET).join("release").join(name), &prefix.join("lib").join(name))
    })
}
