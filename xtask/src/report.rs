//! Counting what passed and what failed, as each runner says it.

use std::process::Command;

use anyhow::{Result, bail};

use crate::shell::{line, output, progress};

/// Everything that was checked so far.
#[derive(Default)]
pub(crate) struct Report {
    counts: Counts,
    failures: Vec<String>,
}

#[derive(Default, Clone, Copy, Debug, PartialEq, Eq)]
struct Counts {
    passed: u32,
    failed: u32,
}

/// Whose closing lines are to be read.
#[derive(Clone, Copy)]
pub(crate) enum Runner {
    Cargo,
    Pytest,
    Node,
    Go,
    /// `N passed, N failed`
    Plain,
}

impl Report {
    /// One thing that holds or does not.
    pub(crate) fn check(&mut self, what: &str, check: impl FnOnce() -> Result<()>) {
        progress(what);
        match check() {
            Ok(()) => self.counts.passed += 1,
            Err(error) => self.fail(what, 1, &format!("{error:#}")),
        }
    }

    /// A program that passes by its exit code.
    pub(crate) fn command(&mut self, what: &str, command: &mut Command) {
        self.check(what, || crate::shell::run(command));
    }

    /// A test runner, counted test by test. One that ran nothing, skipped something or failed
    /// without saying so has failed.
    pub(crate) fn suite(&mut self, what: &str, runner: Runner, command: &mut Command) {
        progress(what);
        let output = match output(command) {
            Ok(output) => output,
            Err(error) => return self.fail(what, 1, &format!("{error:#}")),
        };
        let (counts, skipped) = read(runner, &output.text);
        self.counts.passed += counts.passed;
        let failed = counts.failed + skipped;
        let silent = failed == 0 && (!output.success || counts.passed == 0);
        if failed > 0 || silent {
            let text = format!("`{}`\n{}", line(command), output.text);
            self.fail(what, failed.max(1), &text);
        } else {
            eprintln!("    {} passed", counts.passed);
        }
    }

    /// A test runner that must first be made ready.
    pub(crate) fn suite_of(
        &mut self,
        what: &str,
        runner: Runner,
        make: impl FnOnce() -> Result<Command>,
    ) {
        match make() {
            Ok(mut command) => self.suite(what, runner, &mut command),
            Err(error) => self.fail(what, 1, &format!("{error:#}")),
        }
    }

    fn fail(&mut self, what: &str, count: u32, text: &str) {
        self.counts.failed += count;
        eprintln!("    FAILED: {what}\n{text}");
        self.failures.push(what.to_owned());
    }

    /// The total line; an error if anything failed.
    pub(crate) fn end(self) -> Result<()> {
        for what in &self.failures {
            println!("failed: {what}");
        }
        println!("{} passed, {} failed", self.counts.passed, self.counts.failed);
        if self.counts.failed > 0 {
            bail!("{} of the checks failed; their output is above", self.failures.len());
        }
        Ok(())
    }
}

/// What a runner counted, and how many tests it skipped.
fn read(runner: Runner, text: &str) -> (Counts, u32) {
    let lines = || text.lines().map(str::trim);
    let starting = |start: &str| {
        u32::try_from(lines().filter(|line| line.starts_with(start)).count()).unwrap_or(u32::MAX)
    };
    let before = |lines: &mut dyn Iterator<Item = &str>, word: &str| -> u32 {
        lines.flat_map(|line| number_before(line, word)).sum()
    };
    match runner {
        Runner::Cargo => {
            let results = || lines().filter(|line| line.starts_with("test result:"));
            let counts = Counts {
                passed: before(&mut results(), "passed"),
                failed: before(&mut results(), "failed"),
            };
            (counts, before(&mut results(), "ignored"))
        }
        Runner::Pytest => {
            let last = || lines().rfind(|line| line.contains(" in ")).into_iter();
            let failed = ["failed", "error", "errors"].map(|word| before(&mut last(), word));
            let counts =
                Counts { passed: before(&mut last(), "passed"), failed: failed.iter().sum() };
            let skipped = ["skipped", "xfailed", "xpassed", "deselected"];
            (counts, skipped.map(|word| before(&mut last(), word)).iter().sum())
        }
        Runner::Node => {
            let after = |start: &str| -> u32 {
                lines()
                    .filter_map(|line| line.strip_prefix(start)?.trim().parse::<u32>().ok())
                    .sum()
            };
            let counts = Counts {
                passed: after("# pass "),
                failed: after("# fail ") + after("# cancelled "),
            };
            (counts, after("# skipped ") + after("# todo "))
        }
        Runner::Go => {
            let counts = Counts { passed: starting("--- PASS:"), failed: starting("--- FAIL:") };
            (counts, starting("--- SKIP:"))
        }
        Runner::Plain => {
            let totals = || lines().filter(|line| line.contains(" passed, "));
            let counts = Counts {
                passed: before(&mut totals(), "passed"),
                failed: before(&mut totals(), "failed"),
            };
            (counts, before(&mut totals(), "skipped"))
        }
    }
}

/// The numbers that stand right before a word: 3 in `3 passed, 1 failed` for `passed`.
fn number_before<'a>(line: &'a str, word: &'a str) -> impl Iterator<Item = u32> + 'a {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut numbers = Vec::new();
    for pair in words.windows(2) {
        if let [number, name] = pair
            && name.trim_end_matches([',', ';', '.']) == word
        {
            numbers.extend(number.parse::<u32>().ok());
        }
    }
    numbers.into_iter()
}

#[cfg(test)]
mod tests {
    use super::{Counts, Runner, read};

    #[test]
    fn each_runner_is_read_as_it_prints() {
        let table = [
            (
                Runner::Cargo,
                "test result: ok. 7 passed; 0 failed; 1 ignored; 0 measured\n\ntest result: FAILED. 2 passed; 3 failed; 0 ignored;",
                (9, 3),
                1,
            ),
            (
                Runner::Pytest,
                "....\n=== 2 failed, 40 passed, 1 skipped, 1 error in 0.34s ===",
                (40, 3),
                1,
            ),
            (Runner::Pytest, "34 passed in 1.44s", (34, 0), 0),
            (
                Runner::Node,
                "ok 1 - a\n# tests 5\n# pass 4\n# fail 1\n# cancelled 0\n# skipped 2\n# todo 0",
                (4, 1),
                2,
            ),
            (
                Runner::Go,
                "=== RUN TestA\n--- PASS: TestA (0.00s)\n    --- FAIL: TestB/c (0.00s)\n--- SKIP: TestD (0.00s)\nPASS",
                (1, 1),
                1,
            ),
            (Runner::Plain, "3 passed, 0 failed\n4 passed, 1 failed", (7, 1), 0),
            (Runner::Plain, "", (0, 0), 0),
        ];
        for (runner, text, (passed, failed), skipped) in table {
            assert_eq!(read(runner, text), (Counts { passed, failed }, skipped), "{text}");
        }
    }
}
