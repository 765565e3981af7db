//! `cargo xtask bench`: how long our calls take, beside what users would call instead.

mod chart;
mod compare;
mod floors;
mod format;
mod harness;
mod page;
mod results;
mod sizes;
mod statistics;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::bench::harness::{Harness, Round, Series};
use crate::bench::results::{Machine, Results};
use crate::languages::language::Language;
use crate::languages::{ALL, named};
use crate::report::Report;
use crate::shell::{command, stdout};

pub(crate) use page::pages;

struct Options {
    languages: Vec<Language>,
    rounds: u32,
    time_ms: u32,
    json: Option<PathBuf>,
    old: Option<Results>,
}

impl Options {
    fn parse(words: &[&str]) -> Result<Self> {
        let mut options =
            Self { languages: ALL.to_vec(), rounds: 10, time_ms: 50, json: None, old: None };
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            let mut file = || words.next().map(Path::new).with_context(|| format!("{word} FILE"));
            match word {
                "--quick" => (options.rounds, options.time_ms) = (5, 20),
                "--json" => options.json = Some(std::path::absolute(file()?)?),
                "--compare" => options.old = Some(Results::read(file()?)?),
                option if option.starts_with('-') => bail!("unknown option {option}"),
                language => options.languages = vec![*named(language)?],
            }
        }
        Ok(options)
    }
}

/// Measures, prints a table, and perhaps writes the results or compares them.
pub(crate) fn run(words: &[&str]) -> Result<()> {
    let options = Options::parse(words)?;
    let results = measure(&options)?;
    print!("{}", page::full(&results));
    if let Some(path) = &options.json {
        results.write(path)?;
    }
    if let Some(old) = &options.old {
        print!("\nSince the other run:\n{}", compare::changes(old, &results));
    }
    Ok(())
}

/// Measures everything in rounds. In a round, ours and each peer take their turn in every work, and
/// in every other round in the opposite order.
fn measure(options: &Options) -> Result<Results> {
    let harnesses = options.languages.iter().map(Harness::new).collect::<Result<Vec<_>>>()?;
    let mut results = Results {
        machine: machine()?,
        rounds: options.rounds,
        time_ms: options.time_ms,
        ..Results::default()
    };
    for harness in &harnesses {
        results.versions.extend(harness.versions()?);
        results.sizes.extend(sizes::of(harness.language)?);
    }
    let mut series: Vec<Series> = harnesses.iter().map(|_| Series::default()).collect();
    for number in 1..=options.rounds {
        eprintln!("==> round {number} of {}", options.rounds);
        let round = Round { time_ms: options.time_ms, reversed: number % 2 == 0 };
        for (harness, series) in harnesses.iter().zip(&mut series) {
            for work in &harness.works {
                let measured = harness.measure(work, round);
                series.add(measured.with_context(|| format!("{}, {work}", harness.language))?);
            }
        }
    }
    for (harness, series) in harnesses.iter().zip(&series) {
        results.rows.extend(results::rows(harness, series)?);
    }
    Ok(results)
}

fn machine() -> Result<Machine> {
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpus.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    Ok(Machine {
        processor: model.map_or(std::env::consts::ARCH, |(_, name)| name).to_owned(),
        cores: std::thread::available_parallelism()?.get(),
        system: stdout(command("uname").arg("-sr"))?.trim().to_owned(),
    })
}

/// Runs everything that is measured once, and checks its results. The times do not matter.
pub(crate) fn test(report: &mut Report) {
    for language in &ALL {
        report.check(&format!("bench: the harness of {}", language.name), || {
            let harness = Harness::new(language)?;
            ensure!(!harness.works.is_empty(), "no works");
            harness.check()
        });
    }
}
