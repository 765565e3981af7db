//! The tables of a report.

use std::io::{self, Write};

use backoff_sim::Summary;

use super::charts::{Measured, lines_of, x_column, x_of};
use super::measure::Measure;
use crate::plot::grouped;
use crate::table::{Align, HEADER, Table};

/// Writes a table for each measure if there are several lines of several points, and otherwise one
/// table with all that matters.
pub(crate) fn write(
    points: &[Measured],
    measures: &[Measure],
    columns: &[Measure],
    to: &mut impl Write,
) -> io::Result<()> {
    let lines = lines_of(points);
    if lines.len() > 1 && lines.iter().any(|line| line.len() > 1) {
        for &measure in measures.iter().filter(|measure| **measure != Measure::Load) {
            writeln!(to, "{HEADER}{}{HEADER:#}", measure.title())?;
            by_line(&lines, measure).write(to)?;
            writeln!(to)?;
        }
    } else {
        by_measure(points, columns).write(to)?;
        let is_of_successes = |measure: &Measure| measure.is_of_successes();
        let has_some = columns.is_empty() || columns.iter().any(is_of_successes);
        if has_some && has_failures(points.iter().map(|point| &point.summary)) {
            writeln!(to, "{OF_SUCCESSES}")?;
        }
        writeln!(to)?;
    }
    let cut: u64 = points.iter().map(|point| point.summary.cut).sum();
    if cut > 0 {
        let runs = if cut == 1 { "1 run was".to_owned() } else { format!("{cut} runs were") };
        writeln!(
            to,
            "{runs} cut before all operations had ended: see --max-time, --max-events and --interval.\n"
        )?;
    }
    Ok(())
}

/// What the mark of a column means.
pub(crate) const OF_SUCCESSES: &str = "* of the operations that succeeded";

/// Whether some operations failed, so that it matters which of them a latency is of.
pub(crate) fn has_failures<'a>(summaries: impl IntoIterator<Item = &'a Summary>) -> bool {
    summaries.into_iter().any(|summary| summary.all.success_rate < 1.0)
}

/// The name of a column, marked if it is only of the operations that succeeded.
pub(crate) fn column_name(measure: Measure, fails: bool) -> String {
    let mark = if fails && measure.is_of_successes() { "*" } else { "" };
    format!("{}{mark}", measure.name())
}

fn by_line(lines: &[&[Measured]], measure: Measure) -> Table {
    let first = lines.iter().find_map(|line| line.first());
    let mut table = Table::new().column(first.map_or("", x_column), Align::Right);
    for line in lines {
        let name = line.first().map_or("", |point| point.summary.name.as_str());
        table = table.column(name, Align::Right);
    }
    let mut rows: Vec<f64> = lines.iter().flat_map(|line| line.iter().map(x_of)).collect();
    rows.sort_by(f64::total_cmp);
    rows.dedup();
    for x in rows {
        let cell = |line: &&[Measured]| {
            let point = line.iter().find(|point| x_of(point).total_cmp(&x).is_eq());
            text(measure, point)
        };
        table.row(std::iter::once(grouped(x)).chain(lines.iter().map(cell)));
    }
    table
}

fn text(measure: Measure, point: Option<&Measured>) -> String {
    point.map_or("-".to_owned(), |point| point.cell(measure))
}

/// A row for each point. Without `columns` it has all that matters.
fn by_measure(points: &[Measured], columns: &[Measure]) -> Table {
    let columns = if columns.is_empty() { &usual_columns(points)[..] } else { columns };
    let fails = has_failures(points.iter().map(|point| &point.summary));
    let has_errors = points.iter().any(|point| point.summary.runs > 1);
    let x = points.first().map_or("", x_column);
    let mut table = Table::new().column("clients with", Align::Left).column(x, Align::Right);
    for measure in columns {
        table = table.column(&column_name(*measure, fails), Align::Right);
        if has_errors && matches!(measure, Measure::Calls | Measure::Time) {
            table = table.column("\u{b1} sem", Align::Right);
        }
    }
    let cells = |name: String, x: String, point: &Measured, is_group: bool| {
        let mut cells = vec![name, x];
        for &measure in columns {
            let is_of_all = matches!(measure, Measure::Time | Measure::Recovery | Measure::Peak);
            let value = point.value(measure).filter(|_| !(is_group && is_of_all));
            cells.push(match &value {
                _ if !is_group => point.cell(measure),
                Some(value) => measure.text(value.value),
                None => String::new(),
            });
            if has_errors && matches!(measure, Measure::Calls | Measure::Time) {
                let error = value.and_then(|value| value.error);
                cells.push(error.map_or(String::new(), |error| measure.text(error)));
            }
        }
        cells
    };
    for point in points {
        let (summary, x) = (&point.summary, grouped(x_of(point)));
        table.row(cells(summary.name.clone(), x, point, false));
        for group in &summary.groups {
            let summary = Summary { all: group.summary.clone(), ..summary.clone() };
            let of_group = Measured { summary, experiment: point.experiment.clone() };
            table.row(cells(format!("  {}", group.name), String::new(), &of_group, true));
        }
    }
    table
}

fn usual_columns(points: &[Measured]) -> Vec<Measure> {
    const COLUMNS: [Measure; 7] = [
        Measure::Calls,
        Measure::Time,
        Measure::Success,
        Measure::Retries,
        Measure::Waiting,
        Measure::P50,
        Measure::P99,
    ];
    // Where operations arrive by themselves, the last one ends a little after they do.
    let is_open = points.iter().any(|point| point.summary.rate.is_some());
    let columns = COLUMNS.into_iter().filter(|measure| !(is_open && *measure == Measure::Time));
    let has_outage = points.iter().any(|point| point.experiment.model.outage().is_some());
    columns.chain(has_outage.then_some(Measure::Recovery)).collect()
}
