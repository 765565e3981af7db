//! `backoff delays`: the delays of a stream.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use anyhow::{Result, ensure};
use backoff_core::{Policy, RandomStream};
use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::arguments::{PolicyArgument, SeedAndKey, number};
use crate::duration::{self, humanize};
use crate::output::{Output, message};
use crate::rows::default_rows;
use crate::table::HEADER;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Policy string or preset
    policy: PolicyArgument,

    #[command(flatten)]
    stream: SeedAndKey,

    /// First index; index 0 is the wait before the first retry
    #[arg(long, value_name = "INDEX", default_value_t = 0, value_parser = number(0..=u32::MAX))]
    first: u32,

    /// Number of delays, also beyond the limit of the policy [default: all retries of the policy, or
    /// 10 of very many]
    #[arg(long, value_name = "N", value_parser = number(0..=u64::MAX))]
    count: Option<u64>,

    /// Print only numbers, one per line, in this unit
    #[arg(long, value_name = "UNIT")]
    unit: Option<Unit>,
}

const EXAMPLES: &str = "\
Examples:
  backoff delays full:base=100ms,cap=20s,max_retries=3 --seed 42 --key job-1
  backoff delays aws-sdk-2026 --seed 42 --key job-1 --unit ns
  sleep \"$(backoff delays gax --seed 42 --key job-1 --first 3 --count 1 --unit s)\"";

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Unit {
    /// Nanoseconds
    Ns,
    /// Milliseconds
    Ms,
    /// Seconds
    S,
}

#[derive(Serialize)]
struct Line<'a> {
    seed: String,
    key: Option<&'a str>,
    index: u32,
    delay_ns: String,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let Arguments { policy, stream: given, first, count, unit } = arguments;
    let retries = policy.max_retries();
    ensure!(
        count.is_some() || *first == 0 || u64::from(*first) < retries,
        "index {first} is beyond the limit of the policy, max_retries={retries}; with `--count N`, \
         its delays are printed all the same"
    );
    let stream = match given.stream() {
        Some(stream) => stream,
        None => RandomStream::from_entropy()?,
    };
    let seed = given.seed.unwrap_or(stream.state());
    let count = count.unwrap_or_else(|| default_rows(policy, *first));
    let delays = Delays::new(policy, stream, *first).take(usize::try_from(count)?);
    if output.is_json() {
        for (index, delay_ns) in delays {
            let (key, delay_ns) = (given.key.as_deref(), delay_ns.to_string());
            output.json(&Line { seed: seed.to_string(), key, index, delay_ns })?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    if given.seed.is_none() {
        message(format_args!("a random stream; `--seed {seed}` gives these delays again"));
    }
    let mut to = BufWriter::new(output);
    if let Some(unit) = unit {
        for (_, delay) in delays {
            writeln!(to, "{}", plain(delay, *unit))?;
        }
    } else {
        write_table(&mut to, delays, (*first, count))?;
    }
    to.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the rows as they come: there can be billions.
fn write_table(
    to: &mut impl Write,
    delays: impl Iterator<Item = (u32, u64)>,
    (first, count): (u32, u64),
) -> Result<()> {
    let last = u64::from(first).saturating_add(count.saturating_sub(1)).min(u32::MAX.into());
    let width = last.to_string().len().max("index".len());
    // A total that does not begin at the first retry would mislead.
    let mut total = (first == 0).then_some(0_u64);
    let name = if total.is_some() { "      total" } else { "" };
    writeln!(to, "{HEADER}{:>width$}      delay{name}{HEADER:#}", "index")?;
    for (index, delay) in delays {
        write!(to, "{index:>width$}  {:>9}", humanize(delay))?;
        if let Some(total) = &mut total {
            *total = total.saturating_add(delay);
            write!(to, "  {:>9}", duration::total(*total))?;
        }
        writeln!(to)?;
    }
    Ok(())
}

fn plain(ns: u64, unit: Unit) -> String {
    match unit {
        Unit::Ns => ns.to_string(),
        Unit::Ms => format!("{}.{:06}", ns / 1_000_000, ns % 1_000_000),
        Unit::S => format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000),
    }
}

/// The delays of a stream from an index on, whatever limit the policy has (SPEC 9.1).
struct Delays {
    policy: Policy,
    stream: RandomStream,
    /// The index after the batch.
    next: u64,
    batch: Vec<u64>,
    taken: usize,
}

impl Delays {
    fn new(policy: &Policy, stream: RandomStream, first: u32) -> Self {
        Self { policy: *policy, stream, next: first.into(), batch: Vec::new(), taken: 0 }
    }

    fn fill(&mut self) -> Option<()> {
        let first = u32::try_from(self.next).ok()?;
        // A batch of decorrelated delays takes up to 4096 steps to begin.
        self.batch.resize(4096, 0);
        let count = self.policy.fill_ns(self.stream, first, &mut self.batch);
        self.batch.truncate(count);
        self.next += count as u64;
        self.taken = 0;
        Some(())
    }
}

impl Iterator for Delays {
    type Item = (u32, u64);

    fn next(&mut self) -> Option<Self::Item> {
        if self.taken == self.batch.len() {
            self.fill()?;
        }
        let delay = *self.batch.get(self.taken)?;
        let index = self.next - (self.batch.len() - self.taken) as u64;
        self.taken += 1;
        Some((u32::try_from(index).ok()?, delay))
    }
}
