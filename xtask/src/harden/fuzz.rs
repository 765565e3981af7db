//! The fuzzers (`core/fuzz`). Each begins with its corpus and with what it found in earlier runs here, and ends after
//! 45 minutes if it has not made all its runs, so that a night is enough for all.

use super::nightly::nightly;
use super::scale::Scale;
use crate::crates::tool;
use crate::report::Report;
use crate::shell::*;

const FUZZ: (&str, &str) = ("cargo-fuzz", "0.13.2");

/// The targets, the sanitizer of each and its longest input. Only libbackoff has unsafe code.
const TARGETS: [(&str, &str, u32); 7] = [
    ("strings", "none", 1100),
    ("operations", "none", 1100),
    ("members", "none", 400),
    ("requests", "none", 1100),
    ("imports", "none", 1100),
    ("parts", "none", 4096),
    ("calls", "address", 400),
];

pub(crate) fn run(report: &mut Report, scale: Scale) {
    let runs = if scale == Scale::Quick { 1_000_000 } else { 100_000_000 };
    for (target, sanitizer, longest) in TARGETS {
        report.check(&format!("the fuzzer {target}, at most {runs} times"), || {
            let folder = scratch().join("harden").join("fuzz").join(target);
            unpack(target, &folder)?;
            let cargo_fuzz = tool(FUZZ, "")?;
            let tools = cargo_fuzz.path().parent().context("a tool is in a folder")?.to_owned();
            let others = std::env::var_os("PATH").unwrap_or_default();
            let path =
                std::env::join_paths([tools].into_iter().chain(std::env::split_paths(&others)))?;
            // Traces of comparisons would take most of the time. The corpora have the words that they would find.
            let options = format!("-s {sanitizer} --no-trace-compares");
            let line = format!("fuzz run --fuzz-dir core/fuzz {options} {target}");
            let fuzzer = nightly(&line)?.env("PATH", path);
            // Each sanitizer compiles everything in its own way.
            let target = scratch().join("harden").join(format!("fuzz-{sanitizer}"));
            let fuzzer = fuzzer.env("CARGO_TARGET_DIR", target).arg(&folder).arg("--");
            // No other process adds to the corpus. Looking for its inputs would take a sixth of the time.
            let options = format!("-runs={runs} -max_len={longest} -reload=0");
            fuzzer.words(&format!("{options} -max_total_time=2700 -timeout=60")).run()
        });
    }
}

/// Writes each input of a corpus to a file of its own.
fn unpack(target: &str, folder: &Path) -> Result<()> {
    let text = read(format!("core/fuzz/corpus/{target}.hex"))?;
    for (number, line) in text.lines().filter(|line| !line.starts_with('#')).enumerate() {
        let digits = line.as_bytes().chunks(2).map(|pair| str::from_utf8(pair).unwrap_or_default());
        let bytes =
            digits.map(|digits| u8::from_str_radix(digits, 16)).collect::<Result<Vec<_>, _>>();
        write(folder.join(format!("corpus-{number}")), bytes?)?;
    }
    Ok(())
}
