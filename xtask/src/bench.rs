//! `cargo xtask bench`: the harness of each language, built over what its users install. What is done with
//! them, and with the results, is in `bench/`.

use serde_json::json;

use crate::languages::{ALL, c, js, named, python};
use crate::report::Report;
use crate::shell::*;

pub(crate) fn run(words: &[&str]) -> Result<()> {
    // The paths among the arguments are from where it is called.
    runner()?.args(words).within(std::env::current_dir()?).show()
}

fn runner() -> Result<Program> {
    Ok(python3("").arg(root().join("bench/run.py")).env("XTASK", std::env::current_exe()?))
}

/// Builds the harness of a language, and prints it as JSON, with the files that its users install or download,
/// whose sizes are shown.
pub(crate) fn print_harness(name: &str) -> Result<()> {
    let mut harness = json!((named(name)?.bench)()?);
    harness["files"] = match name {
        "c" => json!({ "libbackoff.so": c::prefix()?.join("lib/libbackoff.so") }),
        "python" => json!({ "the wheel": python::published()? }),
        "js" => json!({ "the npm tarball": js::tarball()? }),
        _ => json!({}),
    };
    println!("{harness}");
    Ok(())
}

/// Runs everything that is measured once, and checks its results. The times do not matter.
pub(crate) fn test(report: &mut Report) {
    for name in ALL.map(|language| language.name) {
        let what = format!("bench: the harness of {name}");
        report.check(&what, || runner()?.args(["--check", name]).run());
    }
}
