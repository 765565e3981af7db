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

/// What tests the mutants: the requests of the evaluator find most of them in a second, quick tests of the core most of
/// the rest, and the last stage is all tests.
const STAGES: [&str; 3] = [
    "--cargo-arg=--example=evaluate",
    "--cargo-arg=--lib --cargo-arg=--test=accessors --cargo-arg=--test=conformance --cargo-arg=--test=ffi \
     --cargo-arg=--test=members --cargo-arg=--test=misuse --cargo-arg=--test=rng --cargo-arg=--test=stats",
    "",
];

pub(crate) fn run(report: &mut Report, scale: Scale) {
    report.check("no mutant of the core survives", || {
        let folder = scratch().join("harden").join("mutants");
        empty(&folder)?;
        let day = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() / 86_400;
        let shard = format!("--shard {}/{SHARDS}", day % SHARDS);
        let shard = if scale == Scale::Quick { shard } else { String::new() };
        // Each stage takes longer than the one before it, and has fewer mutants left.
        let mut survivors = String::new();
        for (stage, tests) in STAGES.iter().enumerate() {
            let iterate = if stage == 0 { "" } else { "--iterate" };
            survivors = self::survivors(&folder, &format!("{shard} {iterate} {tests}"))?;
            if survivors.is_empty() {
                break;
            }
        }
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
