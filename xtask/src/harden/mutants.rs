//! Mutants of the core: whether a test fails when a line of it is changed. `.cargo/mutants.toml` has those that may
//! survive, each with its reason.

use std::time::{SystemTime, UNIX_EPOCH};

use super::scale::Scale;
use crate::crates::tool;
use crate::report::Report;
use crate::shell::*;

const MUTANTS: (&str, &str) = ("cargo-mutants", "27.1.0");

/// The number of equal shards. A quick run tests one of them, another each day.
const SHARDS: u64 = 60;

pub(crate) fn run(report: &mut Report, scale: Scale) {
    report.check("no mutant of the core survives", || {
        let folder = scratch().join("harden").join("mutants");
        empty(&folder)?;
        let day = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() / 86_400;
        let shard = format!("--shard {}/{SHARDS}", day % SHARDS);
        let shard = if scale == Scale::Quick { shard } else { String::new() };
        // The evaluator's requests are compiled and run in seconds, and find nearly all. The other tests see the rest.
        let survivors = survivors(&folder, &format!("{shard} --cargo-arg=--example=evaluate"))?;
        let survivors = if survivors.is_empty() {
            survivors
        } else {
            self::survivors(&folder, &format!("{shard} --iterate"))?
        };
        Ok(ensure!(survivors.is_empty(), "these mutants survive:\n{survivors}"))
    });
}

fn survivors(folder: &Path, options: &str) -> Result<String> {
    let line = "mutants --package backoff-core --colors never --output";
    let mutants = tool(MUTANTS, "")?.words(line).arg(folder).words(options);
    let output = mutants.command().output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // 2: a mutant survives. 3: one runs for ever, which a test notices, too. Any other failure has left mutants untested.
    ensure!(matches!(output.status.code(), Some(0 | 2 | 3)), "cargo-mutants failed:\n{text}");
    let survivors = folder.join("mutants.out/missed.txt");
    fs::read_to_string(survivors).with_context(|| text)
}
