//! Counting what passed and what failed, from each test runner's own report.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::compatibility::{self, Ran};
use crate::shell::{line, output, progress, progress_of, scratch};

/// How much is tested.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What every change must pass.
    #[default]
    Usual,
    /// Also what takes longer. `docs/compatibility.md` then shows what the packages ran on.
    All,
}

/// The results of all checks so far.
#[derive(Default)]
pub(crate) struct Report {
    passed: u32,
    failed: u32,
    /// What failed, why, and how to run its part alone.
    failures: Vec<String>,
    ran: Vec<Ran>,
    extent: Extent,
    /// What runs now: the name that `cargo xtask test` takes to run it alone.
    part: &'static str,
    began: Option<Instant>,
    /// How long each check of each part took.
    times: BTreeMap<&'static str, Vec<(Duration, String)>>,
}

/// Where the counts of a test runner come from.
#[derive(Clone, Debug)]
pub(crate) enum Runner {
    /// A JUnit XML file that the command writes: `pytest --junitxml`,
    /// `node --test-reporter=junit`.
    Junit(PathBuf),
    /// The events of `go test -json` on standard output.
    Go,
    /// Lines `N passed, N failed` of the output, perhaps with `N ignored`: `cargo test`,
    /// `make check`.
    Summary,
}

/// The counts of a test runner, and what to show if it failed.
#[derive(Default, Debug, PartialEq, Eq)]
struct Results {
    passed: u32,
    failed: u32,
    skipped: u32,
    shown: String,
}

impl Report {
    pub(crate) fn new(extent: Extent) -> Self {
        Self { extent, began: Some(Instant::now()), ..Self::default() }
    }

    /// How much is tested.
    pub(crate) fn extent(&self) -> Extent {
        self.extent
    }

    /// Runs the checks of a part.
    pub(crate) fn part(&mut self, name: &'static str, run: impl FnOnce(&mut Self)) {
        self.part = name;
        progress_of(name);
        run(self);
    }

    /// Says what begins, runs it, notes how long it took, and counts it if it fails.
    fn timed<T>(&mut self, what: &str, run: impl FnOnce() -> Result<T>) -> Option<T> {
        progress(what);
        let began = Instant::now();
        let result = run();
        self.times.entry(self.part).or_default().push((began.elapsed(), what.to_owned()));
        result.map_err(|error| self.fail(what, 1, &format!("{error:#}"))).ok()
    }

    /// One check, which passes or fails.
    pub(crate) fn check(&mut self, what: &str, check: impl FnOnce() -> Result<()>) {
        self.passed += u32::from(self.timed(what, check).is_some());
    }

    /// A check that a package works somewhere: on a platform, in a runtime, with a tool. It returns
    /// the version of that, or nothing if there is none. If it passes, `docs/compatibility.md` shows it.
    pub(crate) fn runs_on(
        &mut self,
        (language, group, name): (&str, &str, &str),
        check: impl FnOnce() -> Result<String>,
    ) {
        if let Some(version) = self.timed(&format!("{language}, {group}: {name}"), check) {
            self.passed += 1;
            self.ran([Ran::new(language, group, name, &version)]);
        }
    }

    /// What a test runner says that its tests ran on.
    pub(crate) fn ran(&mut self, ran: impl IntoIterator<Item = Ran>) {
        self.ran.extend(ran);
    }

    /// The same from a file that the tests wrote.
    pub(crate) fn ran_on(&mut self, lines: &Path) {
        match compatibility::read(lines) {
            Ok(rows) => self.ran(rows),
            // The suite failed before it wrote anything, or what it wrote is wrong.
            Err(error) => self.fail("what the tests ran on", 1, &format!("{error:#}")),
        }
    }

    /// A program, which passes by its exit code.
    pub(crate) fn command(&mut self, what: &str, command: &mut Command) {
        self.check(what, || crate::shell::run(command));
    }

    /// A test runner, perhaps made ready first, and counted test by test. It fails if a test failed or was
    /// skipped, if no test ran, and if it exits with an error.
    pub(crate) fn suite_of(
        &mut self,
        what: &str,
        runner: Runner,
        make: impl FnOnce() -> Result<Command>,
    ) {
        let Some(mut command) = self.timed(&format!("{what}: ready"), make) else { return };
        if let Runner::Junit(path) = &runner {
            // An old report would hide that the command wrote none.
            let _ = fs::remove_file(path);
        }
        let run = || {
            output(&mut command).and_then(|output| Ok((output.success, read(runner, output.text)?)))
        };
        let Some((success, results)) = self.timed(what, run) else { return };
        let Results { passed, failed, skipped, shown } = results;
        self.passed += passed;
        if !success || passed == 0 || failed + skipped > 0 {
            self.fail(what, (failed + skipped).max(1), &format!("`{}`\n{shown}", line(&command)));
        } else {
            eprintln!("    {what}: {passed} passed");
        }
    }

    /// Tests in Python. They may write what they ran on to the file `BACKOFF_RAN`, a line of JSON for each.
    pub(crate) fn pytest(&mut self, what: &str, make: impl FnOnce() -> Result<Command>) {
        let name = what.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
        let folder = scratch().join("results");
        let [results, ran] = ["xml", "jsonl"].map(|end| folder.join(&name).with_extension(end));
        let _ = fs::remove_file(&ran);
        self.suite_of(what, Runner::Junit(results.clone()), || {
            fs::create_dir_all(&folder)?;
            let mut pytest = make()?;
            pytest.args(["-q", "-p", "no:cacheprovider", "--junitxml"]).arg(&results);
            pytest.env("BACKOFF_RAN", &ran);
            Ok(pytest)
        });
        if ran.exists() {
            self.ran_on(&ran);
        }
    }

    fn fail(&mut self, what: &str, count: u32, text: &str) {
        self.failed += count;
        eprintln!("    FAILED: {what}\n{text}");
        let all = if self.extent == Extent::All { "--all " } else { "" };
        let (why, part) = (end_of(text), self.part);
        self.failures.push(format!(
            "\nfailed: {what}\n{why}\n    run it alone: cargo xtask test {all}{part}"
        ));
    }

    /// Adds the results of another report.
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
        if let Some(began) = self.began {
            let processor =
                processor_seconds().map(|seconds| format!(", {seconds} s of processors"));
            eprintln!("{} s{}", began.elapsed().as_secs(), processor.unwrap_or_default());
        }
        println!("{} passed, {} failed", self.passed, self.failed);
        if self.failed > 0 {
            bail!("{} of the checks failed; their output is above", self.failures.len());
        }
        if self.extent == Extent::All { compatibility::save(&self.ran) } else { Ok(()) }
    }

    /// How long each part took, and its slowest checks. Parts that ran beside others share the
    /// processor with them.
    fn print_times(&self) {
        for (part, times) in &self.times {
            let total: Duration = times.iter().map(|(took, _)| *took).sum();
            eprintln!("{:>7.1} s  {part}", total.as_secs_f64());
            for (took, what) in BTreeSet::from_iter(times).into_iter().rev().take(SHOWN_TIMES) {
                eprintln!("{:>9.1} s  {what}", took.as_secs_f64());
            }
        }
    }
}

/// The time of processors that this program and those that it ran have used, where Linux says so. On a
/// busy machine it says more than the time that passed.
fn processor_seconds() -> Option<u64> {
    const TICKS_PER_SECOND: u64 = 100;
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program may hold anything. Then come the state and ten numbers.
    let (_, numbers) = stat.rsplit_once(')')?;
    let ticks = numbers.split_whitespace().skip(11).take(4).map(|ticks| ticks.parse::<u64>().ok());
    Some(ticks.sum::<Option<u64>>()? / TICKS_PER_SECOND)
}

/// How many checks of a part are shown with their time.
const SHOWN_TIMES: usize = 8;

/// The last lines of an output, where most programs say what is wrong.
fn end_of(text: &str) -> String {
    const LINES: usize = 30;
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let left_out = lines.len().saturating_sub(LINES);
    lines[left_out..].iter().map(|line| format!("    | {line}")).collect::<Vec<_>>().join("\n")
}

/// Reads the report of a runner from its file or from the output.
fn read(runner: Runner, text: String) -> Result<Results> {
    Ok(match runner {
        Runner::Junit(path) => {
            let report = fs::read_to_string(&path).with_context(|| {
                format!("no report at {}; the output was\n{text}", path.display())
            })?;
            let results = junit(&report);
            Results { shown: text + &results.shown, ..results }
        }
        Runner::Go => go(&text),
        Runner::Summary => Results { shown: text.clone(), ..summary(&text) },
    })
}

/// Counts the `testcase` elements of a JUnit report by the elements that they hold, and shows those
/// that failed: Node.js shows them nowhere else.
fn junit(report: &str) -> Results {
    let mut results = Results::default();
    for case in report.split("<testcase").skip(1) {
        let holds = |element| case.contains(element);
        if holds("<failure") || holds("<error") {
            results.failed += 1;
            results.shown += &failed_case(case);
        } else if holds("<skipped") {
            results.skipped += 1;
        } else {
            results.passed += 1;
        }
    }
    results
}

/// The name of a `testcase` element and the begin of what it holds.
fn failed_case(case: &str) -> String {
    const LINES: usize = 12;
    let name = case.split(" name=\"").nth(1).and_then(|rest| rest.split('"').next());
    let (_, content) = case.split_once('>').unwrap_or_default();
    let lines = content.split("</testcase").next().unwrap_or_default().trim().lines();
    let lines: String = lines.take(LINES).flat_map(|line| ["    ", line, "\n"]).collect();
    let text = format!("FAILED {}\n{lines}", name.unwrap_or_default());
    let entities =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    entities.iter().fold(text, |text, (entity, character)| text.replace(entity, character))
}

/// One line of `go test -json`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct GoEvent {
    action: String,
    package: String,
    test: Option<String>,
    output: String,
}

/// Counts the tests that ended, and shows what failed tests and failed packages printed.
fn go(text: &str) -> Results {
    let mut results = Results::default();
    let mut printed = BTreeMap::<(String, Option<String>), String>::new();
    for line in text.lines() {
        let Ok(event) = serde_json::from_str::<GoEvent>(line) else {
            // Messages of the tool itself, on standard error.
            results.shown.extend([line, "\n"]);
            continue;
        };
        let name = (event.package, event.test);
        match (event.action.as_str(), &name.1) {
            ("pass", Some(_)) => results.passed += 1,
            ("skip", Some(_)) => results.skipped += 1,
            ("fail", Some(_)) => results.failed += 1,
            ("build-output", _) => results.shown += &event.output,
            _ => {}
        }
        match event.action.as_str() {
            "output" => printed.entry(name).or_default().push_str(&event.output),
            "fail" | "skip" => results.shown += &printed.remove(&name).unwrap_or_default(),
            _ => {}
        }
    }
    results
}

/// Adds up the summary lines.
fn summary(text: &str) -> Results {
    let mut results = Results::default();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let before = |name| {
            let found: Option<u32> = words.windows(2).find_map(|pair| match pair {
                [number, word] if word.trim_end_matches([',', ';']) == name => number.parse().ok(),
                _ => None,
            });
            found
        };
        if let (Some(passed), Some(failed)) = (before("passed"), before("failed")) {
            results.passed += passed;
            results.failed += failed;
            results.skipped += before("ignored").unwrap_or(0);
        }
    }
    results
}

#[cfg(test)]
mod tests {
    use super::{Results, go, junit, summary};

    fn counts(results: &Results) -> (u32, u32, u32) {
        (results.passed, results.failed, results.skipped)
    }

    #[test]
    fn a_junit_report_is_counted_by_its_cases() {
        let pytest = r#"<testsuites><testsuite errors="1" failures="1" skipped="1" tests="4">
            <testcase name="a" time="0.1" /><testcase name="b"><failure message="assert &lt;skipped">
            x</failure></testcase><testcase name="c"><skipped type="pytest.xfail" /></testcase>
            <testcase name="d"><error message="teardown">y</error></testcase></testsuite></testsuites>"#;
        assert_eq!(counts(&junit(pytest)), (1, 2, 1));
        let node = r#"<testsuites><testsuite name="group" failures="1"><testcase name="a" failure="no">
            <failure>no</failure></testcase><testcase name="b"/></testsuite>
            <testcase name="c"><skipped type="todo"/></testcase><!-- tests 3 --></testsuites>"#;
        assert_eq!(counts(&junit(node)), (1, 1, 1));
        assert_eq!(junit(node).shown, "FAILED a\n    <failure>no</failure>\n");
        assert_eq!(counts(&junit("")), (0, 0, 0));
    }

    #[test]
    fn go_events_are_counted_by_test_and_show_what_failed() {
        let events = r#"go: a note
{"Action":"run","Package":"p","Test":"A"}
{"Action":"output","Package":"p","Test":"A","Output":"fine\n"}
{"Action":"pass","Package":"p","Test":"A","Elapsed":0.1}
{"Action":"output","Package":"p","Test":"B/c","Output":"wrong\n"}
{"Action":"fail","Package":"p","Test":"B/c"}
{"Action":"skip","Package":"p","Test":"D"}
{"Action":"output","Package":"p","Output":"FAIL p\n"}
{"Action":"fail","Package":"p"}
{"ImportPath":"q","Action":"build-output","Output":"q.go: no\n"}"#;
        let results = go(events);
        assert_eq!(counts(&results), (1, 1, 1));
        assert_eq!(results.shown, "go: a note\nwrong\nFAIL p\nq.go: no\n");
    }

    #[test]
    fn summary_lines_add_up() {
        let cargo = "test result: ok. 7 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n\n\
                     test result: FAILED. 2 passed; 3 failed; 0 ignored";
        assert_eq!(counts(&summary(cargo)), (9, 3, 1));
        assert_eq!(counts(&summary("3 passed, 0 failed\nlayout: 4 passed, 1 failed")), (7, 1, 0));
        assert_eq!(counts(&summary("it passed, 2 failed\n5 passed at once")), (0, 0, 0));
    }
}
