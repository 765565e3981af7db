//! Random policies, valid and broken, answered by every language: one digest.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail, ensure};
use sha2::{Digest, Sha256};

use crate::answers;
use crate::languages::Language;
use crate::shell::{command, progress, stdout};

const SEED: &str = "20261121";
const LINES: &str = "13000";
/// What each language must at least have computed.
const DELAYS: usize = 1_000_000;
/// The reference is slow, so it answers the first lines only.
const REFERENCE_LINES: usize = 1500;

/// The requests, answered by the first language, for the others to agree with.
pub(crate) struct Differential {
    requests: std::path::PathBuf,
    answers: String,
}

impl Differential {
    /// Makes the requests and has them answered by the reference, in part, and by one
    /// language, in full.
    pub(crate) fn start(first: &Language) -> Result<Self> {
        let lines =
            stdout(command("python3").args(["tests/differential/requests.py", SEED, LINES]))?;
        let requests = answers::requests("differential.txt", &lines)?;
        let answers = answers::of(&mut (first.driver)()?, &requests)?;

        let delays = answers.lines().filter_map(|line| line.strip_prefix("ok"));
        let delays: usize = delays.map(|line| line.split_whitespace().count()).sum();
        ensure!(delays >= DELAYS, "only {delays} delays were asked for");
        let refused = answers.lines().filter(|line| line.starts_with("error ")).count();
        ensure!(refused > 500, "only {refused} broken policies were among the requests");
        progress(&format!(
            "{delays} delays, {refused} refused policies, digest {}",
            digest(&answers)
        ));

        let sample: Vec<&str> = lines.lines().take(REFERENCE_LINES).collect();
        let sample = answers::requests("reference.txt", &format!("{}\n", sample.join("\n")))?;
        let mut reference = command("python3");
        let reference = reference.arg("tests/differential/reference_driver.py");
        let expected = answers::of(reference, &sample)?;
        let answered: Vec<&str> = answers.lines().take(REFERENCE_LINES).collect();
        compare(&sample, &expected, &format!("{}\n", answered.join("\n")))?;
        Ok(Self { requests, answers })
    }

    /// Whether a language gives the same answers.
    pub(crate) fn agrees(&self, driver: &mut Command) -> Result<()> {
        compare(&self.requests, &self.answers, &answers::of(driver, &self.requests)?)
    }
}

fn digest(answers: &str) -> String {
    let bytes = Sha256::digest(answers);
    bytes
        .first_chunk()
        .map_or_else(String::new, |head| format!("{:016x}", u64::from_be_bytes(*head)))
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
