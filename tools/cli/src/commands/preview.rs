//! `backoff preview`: the range of every delay.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use anyhow::Result;
use backoff_core::{Field, Policy, PreviewRow};
use clap::Args;
use serde::Serialize;

use crate::arguments::{PolicyArgument, number, picture_file};
use crate::bars::{Scale, range, terminal_width};
use crate::duration::{humanize, total};
use crate::fields::Fields;
use crate::files;
use crate::output::Output;
use crate::plot::{self, Chart, Point};
use crate::rows::{NO_LIMIT, default_rows, retries};
use crate::table::{Align, Table};

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Policy string or preset
    policy: PolicyArgument,

    /// Number of retries to show, at most 10000 [default: all of the policy, or 10 of very many]
    #[arg(long, value_name = "N", value_parser = number(1..=10_000_u64))]
    retries: Option<u64>,

    /// First index, at most 100000; index 0 is the wait before the first retry
    #[arg(
        long,
        value_name = "INDEX",
        default_value_t = 0,
        value_parser = number(0..=100_000_u32)
    )]
    first: u32,

    /// Write a chart of the delays as SVG
    #[arg(long, value_name = "FILE", value_parser = picture_file())]
    svg: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  backoff preview full:base=100ms,cap=20s,max_retries=5
  backoff preview sidekiq
  backoff preview grpc-connect --first 8 --retries 3 --json";

/// A row of the preview (SPEC 16.1).
#[derive(Serialize)]
pub(crate) struct Line {
    index: u64,
    min_ns: String,
    mean_ns: String,
    max_ns: String,
    total_min_ns: String,
    total_mean_ns: String,
    total_max_ns: String,
}

impl Line {
    pub(crate) fn new(index: u64, row: &PreviewRow) -> Self {
        Self {
            index,
            min_ns: row.min_ns.to_string(),
            mean_ns: row.mean_ns.to_string(),
            max_ns: row.max_ns.to_string(),
            total_min_ns: row.total_min_ns.to_string(),
            total_mean_ns: row.total_mean_ns.to_string(),
            total_max_ns: row.total_max_ns.to_string(),
        }
    }
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let Arguments { policy, retries, first, svg } = arguments;
    if let Some(path) = svg {
        files::check(path)?;
    }
    let count = retries.unwrap_or_else(|| default_rows(policy, *first));
    let rows = policy.preview().skip(usize::try_from(*first)?).take(usize::try_from(count)?);
    let rows: Vec<_> = (u64::from(*first)..).zip(rows).collect();
    if let Some(path) = svg {
        let charts = [chart(policy, &rows)];
        files::write(path, plot::svg(&plot::picture(&charts)).as_bytes())?;
    }
    if output.is_json() {
        for (index, row) in &rows {
            output.json(&Line::new(*index, row))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(output, "{}", policy.policy)?;
    if !rows.is_empty() {
        writeln!(output)?;
        write_table(&rows, output)?;
        writeln!(output)?;
    }
    if rows.iter().any(|(_, row)| is_estimate(policy, row)) {
        writeln!(output, "From the row that can reach the cap on, the mean is an upper estimate.")?;
    }
    writeln!(output, "{}", ending(policy, *first, &rows))?;
    Ok(ExitCode::SUCCESS)
}

#[expect(clippy::cast_precision_loss, reason = "a chart")]
fn chart(policy: &Policy, rows: &[(u64, PreviewRow)]) -> Chart {
    let longest = rows.iter().map(|(_, row)| row.max_ns).max().unwrap_or(0);
    let (unit, unit_ns) = if longest >= 10_000_000_000 { ("s", 1e9) } else { ("ms", 1e6) };
    let line = |name: &str, delay: fn(&PreviewRow) -> u64| {
        let point = |(index, row): &(u64, PreviewRow)| Point {
            x: *index as f64,
            y: delay(row) as f64 / unit_ns,
            whisker: 0.0,
            text: humanize(delay(row)),
        };
        let points = rows.iter().map(point).collect();
        plot::Line { name: name.to_owned(), points, beyond: Vec::new() }
    };
    let lines = vec![
        line("longest", |row| row.max_ns),
        line("mean", |row| row.mean_ns),
        line("shortest", |row| row.min_ns),
    ];
    let (title, subtitle) = (format!("Delay of each retry in {unit}"), policy.to_string());
    Chart { title, subtitle, x: "earlier retries", lines, ..Chart::default() }
}

/// Bars that are shorter than this show nothing.
const MIN_BAR: usize = 8;

fn write_table(rows: &[(u64, PreviewRow)], output: &mut Output) -> Result<()> {
    let dim = Style::new().dimmed();
    let table = || {
        Table::new()
            .column("index", Align::Right)
            .column("min", Align::Right)
            .column("mean", Align::Right)
            .column("max", Align::Right)
            .styled_column("mean total", Align::Right, dim)
            .styled_column("max total", Align::Right, dim)
    };
    let cells = |index: u64, row: &PreviewRow| {
        let durations = [row.min_ns, row.mean_ns, row.max_ns].map(humanize);
        let totals = [row.total_mean_ns, row.total_max_ns].map(total);
        std::iter::once(index.to_string()).chain(durations).chain(totals)
    };
    let mut plain = table();
    for (index, row) in rows {
        plain.row(cells(*index, row));
    }
    let left = terminal_width().saturating_sub(plain.width() + 2);
    if left < MIN_BAR {
        plain.write(output)?;
        return Ok(());
    }
    let scale = Scale::of(rows.iter().map(|(_, row)| row.max_ns));
    let color = Style::new().fg_color(Some(AnsiColor::Cyan.into()));
    let mut with_bars = table().styled_column("", Align::Left, color);
    for (index, row) in rows {
        let bar = range((row.min_ns, row.mean_ns, row.max_ns), scale, left);
        with_bars.row(cells(*index, row).chain([bar]));
    }
    with_bars.write(output)?;
    if matches!(scale, Scale::Logarithmic(..)) {
        writeln!(output, "\nThe scale of the bars is logarithmic.")?;
    }
    Ok(())
}

/// Whether the mean of a row, and of those after it, is no exact one (SPEC 16.3).
fn is_estimate(policy: &Policy, row: &PreviewRow) -> bool {
    let fields = Fields::of(policy);
    let cap = fields.ns(Field::Cap);
    fields.kind(Field::Jitter) == "decorrelated" && cap.is_some_and(|cap| row.max_ns >= cap)
}

fn ending(policy: &Policy, first: u32, rows: &[(u64, PreviewRow)]) -> String {
    let next = rows.last().map_or(u64::from(first), |(index, _)| index + 1);
    let is_last = policy.preview().nth(usize::try_from(next).unwrap_or(usize::MAX)).is_none();
    let limit = policy.max_retries();
    match (is_last, limit) {
        (true, 0) => "This policy never retries.".to_owned(),
        (true, limit) if next < limit => "No later wait can end within max_elapsed.".to_owned(),
        (true, _) => format!("The policy stops after {}.", retries(limit)),
        (false, NO_LIMIT) => match Fields::of(policy).ns(Field::MaxElapsed) {
            Some(limit) => format!(
                "Only max_elapsed={} limits the retries; `--retries N` shows more.",
                humanize(limit)
            ),
            None => "The policy does not limit its retries; `--retries N` shows more.".to_owned(),
        },
        (false, _) => {
            format!("The policy stops after {}; `--retries N` shows more.", retries(limit))
        }
    }
}
