//! What is printed and written about a simulation.

mod charts;
mod csv;
mod measure;
mod tables;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use backoff_sim::{Experiment, Load, Totals};
use clap::{Args, ValueEnum};

pub(crate) use charts::Measured;
pub(crate) use measure::{Measure, recovery};
pub(crate) use tables::{OF_SUCCESSES, column_name, has_failures};

use crate::arguments::picture_file;
use crate::bars::terminal_width;
use crate::output::Output;
use crate::plot::Chart;
use crate::{files, plot};

/// Where results go.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Results")]
pub(crate) struct ReportOptions {
    /// Measures to draw, and to compare in tables [default: calls,time, or success,retries if
    /// operations arrive by themselves]
    #[arg(long, value_name = "MEASURE", value_enum, value_delimiter = ',')]
    chart: Vec<Measure>,

    /// Columns of the table that has a row for each policy [default: those that matter most]
    #[arg(long, value_name = "MEASURE", value_enum, value_delimiter = ',')]
    columns: Vec<Measure>,

    /// Write the charts as SVG
    #[arg(long, value_name = "FILE", value_parser = picture_file())]
    svg: Option<PathBuf>,

    /// Write a row for each point as CSV; `-` is standard output
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    csv: Option<PathBuf>,
}

pub(crate) struct Report<'a> {
    options: &'a ReportOptions,
    output: &'a mut Output,
    points: Vec<Measured>,
}

impl ReportOptions {
    /// The option with which the user asked for such a measure.
    pub(crate) fn option_of(&self, is_such: impl Fn(Measure) -> bool) -> Option<String> {
        let options = [("--chart", &self.chart), ("--columns", &self.columns)];
        options.into_iter().find_map(|(option, measures)| {
            let measure = measures.iter().find(|&&measure| is_such(measure))?;
            Some(format!("{option} {}", measure.to_possible_value()?.get_name()))
        })
    }

    pub(crate) fn contradiction(&self) -> Option<String> {
        if self.columns.contains(&Measure::Load) {
            return Some(
                "--columns load is not possible: the load over time is a chart".to_owned(),
            );
        }
        files::conflict(&self.files())
    }

    pub(crate) fn files(&self) -> [(&'static str, Option<&Path>); 2] {
        [("--svg", &self.svg), ("--csv", &self.csv)].map(|(option, path)| (option, path.as_deref()))
    }

    /// Fails if a file cannot be written, before anything is computed.
    pub(crate) fn check_files(&self) -> Result<()> {
        let paths = self.files().into_iter().filter_map(|(_, path)| path);
        paths.filter(|&path| path != Path::new("-")).try_for_each(files::check)
    }
}

impl<'a> Report<'a> {
    pub(crate) fn new(options: &'a ReportOptions, output: &'a mut Output) -> Self {
        Self { options, output, points: Vec::new() }
    }

    pub(crate) fn add(&mut self, experiment: Experiment, totals: &Totals) -> Result<()> {
        let summary = experiment.summary(totals);
        if self.output.is_json() {
            self.output.json(&summary)?;
        }
        self.points.push(Measured { experiment, summary });
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<()> {
        let Self { options, output, points } = self;
        let measures = measures(options, &points);
        let charts: Vec<_> =
            measures.iter().map(|&measure| charts::chart(measure, &points)).collect();
        if let Some(path) = &options.svg {
            files::write(path, plot::svg(&plot::picture(&charts)).as_bytes())?;
        }
        if let Some(path) = &options.csv {
            let text = csv::csv(points.iter().map(|point| &point.summary))?;
            if path == Path::new("-") {
                output.write_all(text.as_bytes())?;
                return Ok(());
            }
            files::write(path, text.as_bytes())?;
        }
        if output.is_json() {
            return Ok(());
        }
        writeln!(output, "{}\n", charts::headline(&points))?;
        tables::write(&points, &measures, &options.columns, output)?;
        // The table has the numbers of bars.
        let is_drawn = |chart: &&Chart| !chart.is_bars() && chart.has_points();
        for chart in charts.iter().filter(is_drawn) {
            plot::terminal(chart, terminal_width(), output)?;
            writeln!(output)?;
        }
        Ok(())
    }
}

/// The measures that the user asked for, or those that say most.
fn measures(options: &ReportOptions, points: &[Measured]) -> Vec<Measure> {
    if !options.chart.is_empty() {
        return options.chart.clone();
    }
    let is_open = |point: &Measured| matches!(point.experiment.load, Load::Open { .. });
    let has_load = points.iter().any(|point| !point.summary.load.is_empty());
    let mut measures = if points.first().is_some_and(is_open) {
        vec![Measure::Success, Measure::Retries]
    } else {
        vec![Measure::Calls, Measure::Time]
    };
    if has_load {
        measures.push(Measure::Load);
    }
    measures
}
