//! The harness of a language: a program that measures (bench/README.md describes its arguments).

use std::collections::HashMap;
use std::ffi::OsStr;
use std::process::Command;

use anyhow::{Context, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::languages::language::Language;
use crate::shell::{command, progress, stdout};

/// The label of our own measurements.
pub(super) const OURS: &str = "ours";

/// The languages whose harness can be run under callgrind.
const COUNTED: [&str; 2] = ["rust", "c"];

pub(super) struct Harness {
    pub(super) language: &'static str,
    pub(super) works: Vec<String>,
    program: Command,
}

/// How a work is measured.
#[derive(Clone, Copy)]
pub(super) struct Round {
    /// The time for each measurement.
    pub(super) time_ms: u32,
    /// Whether the peers come first.
    pub(super) reversed: bool,
}

/// What one operation takes.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Measurement {
    pub(super) work: String,
    /// `ours`, or the name of a peer.
    pub(super) by: String,
    pub(super) ns: f64,
    pub(super) bytes: Option<f64>,
    pub(super) allocations: Option<f64>,
}

/// A compiler, an interpreter, what measures, or a peer.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tool {
    #[serde(default)]
    pub(super) language: String,
    pub(super) name: String,
    pub(super) version: String,
}

impl Harness {
    /// Builds the harness of a language.
    pub(super) fn new(language: &Language) -> Result<Self> {
        progress(&format!("preparing the harness of {}", language.name));
        let program = (language.bench)().with_context(|| format!("for {}", language.name))?;
        let harness = Self { language: language.name, works: Vec::new(), program };
        let works = stdout(&mut harness.run(&["works"]))?.lines().map(str::to_owned).collect();
        Ok(Self { works, ..harness })
    }

    fn run(&self, arguments: &[&str]) -> Command {
        let mut command = copy(&self.program, self.program.get_program());
        command.args(self.program.get_args()).args(arguments);
        command
    }

    /// Measures a work once: ours, and each peer.
    pub(super) fn measure(&self, work: &str, round: Round) -> Result<Vec<Measurement>> {
        let mut measure = self.run(&["measure", work]);
        measure.env("BENCH_TIME_MS", round.time_ms.to_string());
        if round.reversed {
            measure.env("BENCH_REVERSED", "1");
        }
        lines(&mut measure)
    }

    /// The compiler or interpreter, the tool that measures, and the peers.
    pub(super) fn versions(&self) -> Result<Vec<Tool>> {
        let tools: Vec<Tool> = lines(&mut self.run(&["versions"]))?;
        let of_language = |tool| Tool { language: self.language.into(), ..tool };
        Ok(tools.into_iter().map(of_language).collect())
    }

    /// Runs every work once, and checks what it computes.
    pub(super) fn check(&self) -> Result<()> {
        crate::shell::run(&mut self.run(&["check"]))
    }

    /// The instructions of one operation, as callgrind counts them, or nothing where it cannot.
    pub(super) fn instructions(&self, work: &str, by: &str, ns: f64) -> Result<Option<f64>> {
        if !COUNTED.contains(&self.language)
            || command("valgrind").arg("--version").output().is_err()
        {
            return Ok(None);
        }
        // About a millisecond without callgrind.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small number"
        )]
        let times = (1e6 / ns).clamp(1.0, 1e5) as u64;
        let once = self.counted(work, by, times)?;
        let twice = self.counted(work, by, times.saturating_mul(2))?;
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        Ok(Some(twice.saturating_sub(once) as f64 / times as f64))
    }

    fn counted(&self, work: &str, by: &str, times: u64) -> Result<u64> {
        let program = self.run(&["count", work, by, &times.to_string()]);
        let mut valgrind = copy(&program, "valgrind".as_ref());
        valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
        valgrind.arg(program.get_program()).args(program.get_args());
        let output = crate::shell::output(&mut valgrind)?;
        let count = output.text.lines().find_map(|line| line.split_once("Collected : "));
        let (_, count) = count.with_context(|| format!("callgrind printed\n{}", output.text))?;
        count.trim().parse().with_context(|| count.to_owned())
    }
}

/// Another program, in the folder and the environment of this one.
fn copy(of: &Command, program: &OsStr) -> Command {
    let mut copy = command(program);
    if let Some(folder) = of.get_current_dir() {
        copy.current_dir(folder);
    }
    for (name, value) in of.get_envs() {
        match value {
            Some(value) => copy.env(name, value),
            None => copy.env_remove(name),
        };
    }
    copy
}

/// What a program prints, a line of JSON for each.
fn lines<T: DeserializeOwned>(command: &mut Command) -> Result<Vec<T>> {
    let printed = stdout(command)?;
    let parsed =
        printed.lines().map(|line| serde_json::from_str(line).with_context(|| line.to_owned()));
    parsed.collect()
}

/// The measurements of all rounds, by work and by whom. The order is that of the first round.
#[derive(Default)]
pub(super) struct Series {
    order: Vec<(String, String)>,
    measured: HashMap<(String, String), Vec<Measurement>>,
}

impl Series {
    pub(super) fn add(&mut self, measurements: Vec<Measurement>) {
        for measurement in measurements {
            let key = (measurement.work.clone(), measurement.by.clone());
            if !self.measured.contains_key(&key) {
                self.order.push(key.clone());
            }
            self.measured.entry(key).or_default().push(measurement);
        }
    }

    /// Who did a work, ours first, with the measurements of the rounds.
    pub(super) fn of(&self, work: &str) -> Vec<(&str, &[Measurement])> {
        let mut found: Vec<_> = self
            .order
            .iter()
            .filter(|(done, _)| done == work)
            .filter_map(|key| Some((&*key.1, &**self.measured.get(key)?)))
            .collect();
        found.sort_by_key(|(by, _)| *by != OURS);
        found
    }
}
