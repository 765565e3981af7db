//! Random policies, valid and broken, as fields and as lines, answered by every language.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail, ensure};
use backoff_core::ErrorCode;

use crate::languages::Language;
use crate::shell::{command, progress, stdout};
use crate::{answers, evaluate};

const SEED: &str = "20261121";
const REQUESTS: &str = "13000";
/// What each language must at least have computed.
const DELAYS: usize = 1_000_000;
const LINES: &str = "20000";
/// The least number of lines that must be of a policy, and of each error.
const VALID: usize = 3000;
const BROKEN: usize = 10;
/// The reference is slow, so it answers the first lines only.
const REFERENCE_LINES: usize = 1500;

/// Requests and their answers, for others to agree with.
pub(crate) struct Differential {
    requests: std::path::PathBuf,
    answers: String,
}

impl Differential {
    /// Policies as fields, and delays in every way to ask for them: answered by the reference,
    /// in part, and by one language, in full.
    pub(crate) fn of_fields(first: &Language) -> Result<Self> {
        let lines =
            stdout(command("python3").args(["tests/differential/requests.py", SEED, REQUESTS]))?;
        let requests = answers::requests("differential.txt", &lines)?;
        let answers = answers::of(&mut (first.driver)()?, &requests)?;

        let delays = answers.lines().filter_map(|line| line.strip_prefix("ok"));
        let delays: usize = delays.map(|line| line.split_whitespace().count()).sum();
        ensure!(delays >= DELAYS, "only {delays} delays were asked for");
        let refused = answers.lines().filter(|line| line.starts_with("error ")).count();
        ensure!(refused > 500, "only {refused} broken policies were among the requests");
        progress(&format!("{delays} delays, {refused} refused policies"));

        let sample: Vec<&str> = lines.lines().take(REFERENCE_LINES).collect();
        let sample = answers::requests("reference.txt", &format!("{}\n", sample.join("\n")))?;
        let mut reference = command("python3");
        let reference = reference.arg("tests/differential/reference_driver.py");
        let expected = answers::of(reference, &sample)?;
        let answered: Vec<&str> = answers.lines().take(REFERENCE_LINES).collect();
        compare(&sample, &expected, &format!("{}\n", answered.join("\n")))?;
        Ok(Self { requests, answers })
    }

    /// Policies as lines, answered by the reference.
    pub(crate) fn of_lines() -> Result<Self> {
        let lines = stdout(command("python3").args(["tests/differential/lines.py", SEED, LINES]))?;
        let requests = answers::requests("lines.txt", &lines)?;
        let answers = answers::of(&mut evaluate::reference(), &requests)?;

        let mut counts = BTreeMap::<&str, usize>::new();
        for answer in answers.lines() {
            let code = answer.strip_prefix("{\"error\":\"").and_then(|rest| rest.split('"').next());
            *counts.entry(code.unwrap_or("valid")).or_default() += 1;
        }
        ensure!(counts.remove("valid") >= Some(VALID), "only few lines are of a policy");
        for code in ErrorCode::ALL.map(ErrorCode::name).into_iter().chain(["not_a_request"]) {
            // No line of a policy can be fitted.
            let enough = code == "does_not_fit" || counts.get(code) >= Some(&BROKEN);
            ensure!(enough, "only {:?} lines have the error {code}", counts.get(code));
        }
        progress(&format!("{LINES} lines with {} errors", counts.len()));
        Ok(Self { requests, answers })
    }

    /// Whether a language gives the same answers.
    pub(crate) fn agrees(&self, driver: &mut Command) -> Result<()> {
        compare(&self.requests, &self.answers, &answers::of(driver, &self.requests)?)
    }
}

fn compare(requests: &Path, expected: &str, answers: &str) -> Result<()> {
    if expected == answers {
        return Ok(());
    }
    let requests = std::fs::read_to_string(requests)?;
    let mut rows = requests.lines().zip(expected.lines().zip(answers.lines()));
    match rows.find(|(_, (expected, answer))| expected != answer) {
        Some((request, (expected, answer))) => {
            bail!("asked     {request}\nexpected  {expected}\nanswered  {answer}")
        }
        None => {
            bail!("{} answers to {} requests", answers.lines().count(), requests.lines().count())
        }
    }
}
