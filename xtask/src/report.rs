//! Counting what passed and what failed, as each test runner says it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::shell::*;

#[derive(Default)]
pub(crate) struct Report {
    passed: u32,
    failed: u32,
    /// What failed, why, and how to run its part alone; and what could not run.
    failures: Vec<String>,
    /// What the packages ran on: lines of JSON for `docs/compatibility.py`.
    ran: Vec<String>,
    /// Whether what takes longer is tested, too. `docs/compatibility.md` then shows what the packages ran on.
    pub(crate) is_all: bool,
    /// What runs a part alone, without its name.
    verb: &'static str,
    /// What runs now: the name that `cargo xtask test` takes to run it alone.
    part: &'static str,
    /// How long each check of each part took.
    times: BTreeMap<&'static str, Vec<(Duration, String)>>,
}

impl Report {
    pub(crate) fn new(is_all: bool) -> Self {
        Self { is_all, ..Self::of(if is_all { "test --all" } else { "test" }) }
    }

    pub(crate) fn of(verb: &'static str) -> Self {
        Self { verb, ..Self::default() }
    }

    pub(crate) fn part(&mut self, name: &'static str, run: impl FnOnce(&mut Self)) {
        self.part = name;
        PART.set(name);
        run(self);
        PART.set("");
    }

    /// What a step returns, unless it fails.
    pub(crate) fn timed<T>(&mut self, what: &str, run: impl FnOnce() -> Result<T>) -> Option<T> {
        progress(what);
        let began = Instant::now();
        let result = run();
        self.times.entry(self.part).or_default().push((began.elapsed(), what.to_owned()));
        result.map_err(|error| self.fail(what, 1, &format!("{error:#}"))).ok()
    }

    pub(crate) fn check(&mut self, what: &str, check: impl FnOnce() -> Result<()>) {
        self.passed += u32::from(self.timed(what, check).is_some());
    }

    /// A check that a package works somewhere: on a platform, in a runtime, with a tool. It returns
    /// the version of that, or nothing if there is none. If it passes, `docs/compatibility.md` shows it.
    pub(crate) fn runs_on(
        &mut self,
        place: (&str, &str, &str),
        check: impl FnOnce() -> Result<String>,
    ) {
        if let Some(version) = self.timed(&format!("{}, {}: {}", place.0, place.1, place.2), check)
        {
            self.passed += 1;
            self.ran(place, &version);
        }
    }

    /// Notes for `docs/compatibility.md` what tests ran on.
    pub(crate) fn ran(&mut self, (language, group, name): (&str, &str, &str), version: &str) {
        let row = json!({"language": language, "group": group, "name": name, "version": version});
        self.ran.push(row.to_string());
    }

    /// A test runner, perhaps made ready first, and counted test by test. It fails if a test failed or was
    /// skipped, if no test ran, and if it exits with an error. Its tests may write what they ran on to the file
    /// `BACKOFF_RAN`.
    pub(crate) fn suite(&mut self, what: &str, make: impl FnOnce() -> Result<Program>) {
        let Some(program) = self.timed(&format!("{what}: ready"), make) else { return };
        let ran = scratch().join(format!("ran-{}.jsonl", self.part));
        let _ = fs::remove_file(&ran);
        let program = program.env("BACKOFF_RAN", &ran);
        let Some((success, text)) = self.timed(what, || program.ends()) else { return };
        let [passed, failed, skipped] = counts(&text);
        self.passed += passed;
        if !success || passed == 0 || failed + skipped > 0 {
            let shown = without_passed(&text);
            self.fail(what, (failed + skipped).max(1), &format!("`{}`\n{shown}", program.line()));
        } else {
            eprintln!("    {what}: {passed} passed");
        }
        self.ran.extend(read(&ran).unwrap_or_default().lines().map(str::to_owned));
    }

    /// Tests in Python: pytest, or an interpreter with `-m pytest`.
    pub(crate) fn pytest(&mut self, what: &str, make: impl FnOnce() -> Result<Program>) {
        self.suite(what, || Ok(make()?.words("-q -rs -p no:cacheprovider --color=no")));
    }

    /// A check that cannot run here. It counts as nothing, and the end says so.
    pub(crate) fn skip(&mut self, what: &str, why: &str) {
        self.failures.push(format!("\nskipped: {what}: {why}"));
    }

    fn fail(&mut self, what: &str, count: u32, text: &str) {
        self.failed += count;
        eprintln!("    FAILED: {what}\n{text}");
        let (why, verb, part) = (end_of(text), self.verb, self.part);
        self.failures
            .push(format!("\nfailed: {what}\n{why}\n    run it alone: cargo xtask {verb} {part}"));
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.failures.extend(other.failures);
        self.ran.extend(other.ran);
        for (part, times) in other.times {
            self.times.entry(part).or_default().extend(times);
        }
    }

    /// The total line; an error if anything failed. If nothing failed and everything ran, the record
    /// of what it ran on.
    pub(crate) fn end(self) -> Result<()> {
        self.print_times();
        for failure in &self.failures {
            println!("{failure}");
        }
        println!("{} passed, {} failed", self.passed, self.failed);
        ensure!(self.failed == 0, "the output of what failed is above");
        if self.is_all {
            let file = scratch().join("ran.jsonl");
            write(&file, self.ran.join("\n"))?;
            python3("docs/compatibility.py save").arg(file).run()?;
        }
        Ok(())
    }

    /// How long each part took, and its slowest checks. Parts that ran beside others share the
    /// processor with them.
    fn print_times(&self) {
        for (part, times) in &self.times {
            let total: Duration = times.iter().map(|(took, _)| *took).sum();
            eprintln!("{:>7.1} s  {part}", total.as_secs_f64());
            for (took, what) in BTreeSet::from_iter(times).into_iter().rev().take(8) {
                eprintln!("{:>9.1} s  {what}", took.as_secs_f64());
            }
        }
    }
}

/// The last lines of an output, where most programs say what is wrong.
fn end_of(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let last = lines.iter().skip(lines.len().saturating_sub(30));
    last.map(|line| format!("    | {line}")).collect::<Vec<_>>().join("\n")
}

fn counts(text: &str) -> [u32; 3] {
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for line in text.lines().map(str::trim) {
        let begins = |begin: &str| line.starts_with(begin);
        // `go test -v`, and `node --test-reporter=junit`, where a case that failed or was skipped says why.
        passed += u32::from(begins("--- PASS") || begins("<testcase") && line.ends_with("/>"));
        failed += u32::from(begins("--- FAIL") || begins("<failure"));
        skipped += u32::from(begins("--- SKIP") || begins("<skipped"));
        let words: Vec<&str> =
            line.split([' ', ',', ';']).filter(|word| !word.is_empty()).collect();
        let count = |name: &str| -> Option<u32> {
            let place = words.iter().position(|word| *word == name)?;
            words.get(place.checked_sub(1)?)?.parse().ok()
        };
        let sum = |names: &[&str]| names.iter().filter_map(|name| count(name)).sum::<u32>();
        // `1 failed, 7 passed in 0.5s` of pytest; `7 passed; 1 failed; 2 ignored` of cargo, and
        // `7 passed, 1 failed` of others.
        let is_pytest = words.contains(&"in") && line.starts_with(|c: char| c.is_ascii_digit());
        if is_pytest || count("passed").is_some() && count("failed").is_some() {
            passed += sum(&["passed"]);
            failed += sum(&["failed", "error", "errors"]);
            skipped += sum(&["ignored", "skipped", "xfailed", "xpassed"]);
        }
    }
    [passed, failed, skipped]
}

/// What a test runner printed, without the lines of tests that passed.
fn without_passed(text: &str) -> String {
    let of_passed = |line: &str| {
        let begins = ["=== ", "--- PASS", "<testsuite", "</testsuite"];
        line.starts_with("<testcase") && line.ends_with("/>")
            || begins.iter().any(|begin| line.starts_with(begin))
    };
    let lines = text.lines().filter(|line| !of_passed(line.trim()));
    let text = lines.flat_map(|line| [line, "\n"]).collect::<String>();
    let entities =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    entities.iter().fold(text, |text, (entity, character)| text.replace(entity, character))
}

#[cfg(test)]
mod tests {
    use super::{counts, without_passed};

    #[test]
    fn every_runner_is_counted_by_its_lines() {
        for (text, expected) in [
            (
                "FAILED. 7 passed; 0 failed; 1 ignored; 0 measured\nok. 2 passed; 3 failed",
                [9, 3, 1],
            ),
            ("3 passed, 0 failed\nlayout: 4 passed, 1 failed", [7, 1, 0]),
            ("...\n2 failed, 11 passed, 1 skipped, 1 xfailed, 2 errors in 1.20s", [11, 4, 2]),
            ("12 passed, 1 warning in 61.02s (0:01:01)", [12, 0, 0]),
            ("it passed, 2 failed\n5 passed at once\nno tests ran in 0.01s", [0, 0, 0]),
            (
                "=== RUN A\n    --- PASS: A/b (0.0s)\n--- PASS: A\n--- FAIL: B\n--- SKIP: C",
                [2, 1, 1],
            ),
            ("<testcase name=\"a\"/>\n<testcase>\n<failure>\n</failure>\n</testcase>", [1, 1, 0]),
            ("<testcase>\n<skipped type=\"todo\"/>\n</testcase>\n<!-- tests 1 -->", [0, 0, 1]),
        ] {
            assert_eq!(counts(text), expected, "{text}");
        }
    }

    #[test]
    fn only_what_failed_is_shown() {
        let text = "<testcase name=\"a\"/>\n=== RUN B\nwrong\n--- FAIL: B\n1 &lt; 2\n--- PASS: C";
        assert_eq!(without_passed(text), "wrong\n--- FAIL: B\n1 < 2\n");
    }
}
