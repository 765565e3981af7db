//! `backoff simulate`: clients that retry, and the work and the time that they need.

mod clients;
mod models;
mod options;
mod progress;
mod sweep;

use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result};
use backoff_sim::{Experiment, Part, Shard, Summary, Totals};
use clap::Args;
use clap::error::ErrorKind;
use rayon::{ThreadPool, ThreadPoolBuilder};

pub(crate) use self::clients::{Defaults, clients};
use self::models::ModelArguments;
pub(crate) use self::progress::Progress;
use crate::files;
use crate::output::Output;
use crate::report::Report;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    model: ModelArguments,
}

const EXAMPLES: &str = "\
Examples:
  # The two charts of the article \"Exponential Backoff And Jitter\", in the terminal:
  backoff simulate occ

  # The same charts for a policy of yours, beside no backoff, as a picture:
  backoff simulate occ --policy none --policy mine=full:base=50ms,cap=1s --svg mine.svg

  # A line of JSON for each number of clients:
  backoff simulate occ --policy aws-simulator --clients 10,20 --runs 1000 --seed 1 --json

  # An outage of 10 seconds, and the load in every second:
  backoff simulate queue --rate 50 --outage 20s..30s --interval 1s \\
      --policy none:max_retries=3 --policy 'default;budget=sre'

  # One server, two kinds of clients:
  backoff simulate queue --rate 80 --group 'default;weight=9' --group 'none:max_retries=9'

`backoff simulate MODEL --help` lists the options. TIMES is a time such as 10ms, or
uniform:min=5ms,max=15ms, exponential:mean=10ms or normal:mean=10ms,sd=2ms.";

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let options = arguments.model.options();
    let contradiction = sweep::contradiction(&arguments.model);
    if let Some(error) = contradiction.or_else(|| options.report.contradiction()) {
        invalid(&error);
    }
    let experiments = sweep::experiments(&arguments.model);
    experiments.iter().for_each(validate);
    options.report.check_files()?;
    options.out.as_deref().map_or(Ok(()), files::check)?;
    let pool = pool(options.threads)?;
    let shard = options.shard.unwrap_or(Shard::WHOLE);
    let is_hidden = Progress::is_unwanted(options.quiet, output.is_json());
    let progress = Progress::new(&experiments, shard, is_hidden);
    if options.shard.is_some() {
        match &options.out {
            Some(path) => {
                let mut parts = Vec::new();
                write_parts(&experiments, shard, &pool, &progress, &mut parts)?;
                files::write(path, &parts)?;
            }
            None => write_parts(&experiments, shard, &pool, &progress, output)?,
        }
        progress.finish();
        return Ok(ExitCode::SUCCESS);
    }
    let mut report = Report::new(&options.report, output);
    for experiment in experiments {
        let totals = simulate(&experiment, shard, &pool, &progress)?;
        progress.suspend(|| report.add(experiment, &totals))?;
    }
    progress.finish();
    report.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn write_parts(
    experiments: &[Experiment],
    shard: Shard,
    pool: &ThreadPool,
    progress: &Progress,
    to: &mut impl Write,
) -> Result<()> {
    let points = u32::try_from(experiments.len())?;
    for (point, experiment) in (1..).zip(experiments) {
        let totals = simulate(experiment, shard, pool, progress)?;
        let part = Part { point, points, experiment: experiment.clone(), shard, totals };
        writeln!(to, "{}", part.to_line())?;
    }
    to.flush()?;
    Ok(())
}

/// The summaries of small experiments, or an error of the arguments that make one impossible.
pub(crate) fn summaries(
    experiments: &[Experiment],
    threads: Option<u16>,
    is_hidden: bool,
) -> Result<Vec<Summary>> {
    experiments.iter().for_each(validate);
    let (pool, progress) = (pool(threads)?, Progress::new(experiments, Shard::WHOLE, is_hidden));
    let run = |experiment: &Experiment| {
        Ok(experiment.summary(&simulate(experiment, Shard::WHOLE, &pool, &progress)?))
    };
    let summaries = experiments.iter().map(run).collect();
    progress.finish();
    summaries
}

fn validate(experiment: &Experiment) {
    if let Err(error) = experiment.validate() {
        invalid(&error);
    }
}

fn simulate(
    experiment: &Experiment,
    shard: Shard,
    pool: &ThreadPool,
    progress: &Progress,
) -> Result<Totals> {
    progress.begin(experiment);
    Ok(pool.install(|| experiment.run(shard, &|| progress.add_run(experiment)))?)
}

fn pool(threads: Option<u16>) -> Result<ThreadPool> {
    let threads = threads.map_or(0, usize::from);
    ThreadPoolBuilder::new().num_threads(threads).build().context("cannot start the threads")
}

pub(crate) fn invalid(error: &impl Display) -> ! {
    crate::usage::refuse(ErrorKind::ValueValidation, error)
}
