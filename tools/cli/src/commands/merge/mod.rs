//! `backoff merge`: the parts of a sweep that was run on several machines.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use backoff_sim::Part;
use clap::Args;

use crate::commands::simulate::invalid;
use crate::files;
use crate::output::Output;
use crate::report::{Report, ReportOptions};

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Files that `backoff simulate --shard` wrote, in any order; `-` is standard input
    #[arg(value_name = "PART", required = true)]
    parts: Vec<PathBuf>,

    #[command(flatten)]
    report: ReportOptions,
}

const EXAMPLES: &str = "\
The parts add up exactly: the output is that of the same simulation without --shard.

Examples:
  backoff simulate occ --shard 1/2 --out first.part
  backoff simulate occ --shard 2/2 --out second.part
  backoff merge first.part second.part --svg occ.svg";

/// Longer than any part: one with the load of 2^20 intervals has some 40 MB.
const MAX_LINE: u64 = 1 << 30;

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    if let Some(error) = arguments.report.contradiction() {
        invalid(&error);
    }
    for path in &arguments.parts {
        let part = [("PART", Some(path.as_path()))];
        if let Some(error) = files::conflict(&[&part[..], &arguments.report.files()].concat()) {
            invalid(&error);
        }
    }
    let mut points = BTreeMap::<u32, Vec<Part>>::new();
    let mut expected = None;
    for path in &arguments.parts {
        for part in read(path)? {
            let of = *expected.get_or_insert(part.points);
            ensure!(
                part.points == of && (1..=of).contains(&part.point),
                "{}: point {} of {} belongs to another sweep, which has {of} points",
                path.display(),
                part.point,
                part.points,
            );
            points.entry(part.point).or_default().push(part);
        }
    }
    let expected = expected.unwrap_or_default();
    for point in 1..=expected {
        ensure!(points.contains_key(&point), "point {point} of {expected} is in no part");
    }
    let mut merged = Vec::new();
    for (point, parts) in points {
        let at = || format!("point {point} of {expected}");
        merged.push(Part::merge(&parts).with_context(at)?);
    }
    let mut report = Report::new(&arguments.report, output);
    for (experiment, totals) in merged {
        report.add(experiment, &totals)?;
    }
    report.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn read(path: &Path) -> Result<Vec<Part>> {
    let name = path.display();
    let mut reader: Box<dyn BufRead> = if path == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        let file = File::open(path).with_context(|| format!("cannot read {name}"))?;
        Box::new(BufReader::new(file))
    };
    let mut parts = Vec::new();
    for number in 1.. {
        let at = || format!("{name}, line {number}");
        let Some(line) = line(&mut reader).with_context(at)? else { break };
        parts.push(Part::from_line(&line).with_context(at)?);
    }
    if parts.is_empty() {
        bail!("{name} has no parts");
    }
    Ok(parts)
}

fn line(reader: &mut impl BufRead) -> Result<Option<String>> {
    // What is no part at all, such as a device that never ends, is not read.
    let Some(first) = reader.fill_buf()?.first() else { return Ok(None) };
    ensure!(*first == b'{', "it is not a part");
    let mut line = Vec::new();
    reader.take(MAX_LINE + 1).read_until(b'\n', &mut line)?;
    ensure!(line.len() as u64 <= MAX_LINE, "it is longer than {MAX_LINE} bytes");
    Ok(Some(String::from_utf8(line)?))
}
