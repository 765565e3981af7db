//! `backoff compare`: policies side by side.

mod simulation;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use backoff_core::{Policy, PreviewRow};
use backoff_sim::{Clients, Group, Summary};
use clap::Args;
use serde::Serialize;

use self::simulation::{Common, WATCHED_NS, simulations};
use crate::arguments::{number, seed};
use crate::commands::preview::Line;
use crate::commands::simulate::{Defaults, Progress, clients, invalid};
use crate::duration::humanize;
use crate::output::Output;
use crate::report::{Measure, OF_SUCCESSES, column_name, has_failures, recovery};
use crate::rows::default_rows;
use crate::table::{Align, HEADER, Table};

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Policy strings or presets, as `[NAME=]POLICY[;budget=B][;processes=N][;deadline=TIME]`
    #[arg(value_name = "POLICY", required = true, num_args = 2.., value_parser = clients)]
    policies: Vec<Clients>,

    #[command(flatten)]
    defaults: Defaults,

    /// Number of runs of each simulation
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = number(1..=10_000_u32))]
    runs: u32,

    /// Seed: equal seeds give equal results
    #[arg(long, default_value = "1", value_parser = seed)]
    seed: u64,

    /// Threads; results do not depend on them [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = number(1..=1024_u16))]
    threads: Option<u16>,

    /// Show no progress
    #[arg(long)]
    quiet: bool,
}

const EXAMPLES: &str = "\
The simulations: 100 clients that update one row (model occ), and a service that can serve 100
calls per second, holds at most 100, gets 70, and does not serve for 10 seconds (model queue).
`backoff simulate` has all options.

Examples:
  backoff compare aws-sdk-standard grpc-retry google-cloud:max_retries=5
  backoff compare 'alone=default' 'with a budget=default;budget=sre'";

/// The names of policies in tables are those from A to Z.
const LETTERS: usize = 26;

struct Compared {
    letter: char,
    group: Group,
    preview: Vec<PreviewRow>,
    occ: Summary,
    queue: Summary,
}

#[derive(Serialize)]
struct Json<'a> {
    name: &'a str,
    policy: String,
    budget: Option<&'a str>,
    preview: Vec<Line>,
    occ: &'a Summary,
    queue: &'a Summary,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let Arguments { policies, defaults, .. } = arguments;
    if policies.len() > LETTERS {
        invalid(&format!("{} policies are too many; at most {LETTERS} can be compared", policies.len()));
    }
    let defaults = defaults.of_clients();
    let groups: Vec<_> = policies.iter().map(|clients| clients.group(&defaults)).collect();
    let Arguments { runs, seed, threads, quiet, .. } = *arguments;
    let is_hidden = Progress::is_unwanted(quiet, output.is_json());
    let summaries = simulations(&Common { runs, seed, threads, is_hidden }, &groups)?;
    let groups = ('A'..='Z').zip(groups).zip(summaries);
    let compared: Vec<_> = groups
        .map(|((letter, group), (occ, queue))| {
            let preview = preview(&group.policy);
            Compared { letter, group, preview, occ, queue }
        })
        .collect();
    if output.is_json() {
        for Compared { group, preview, occ, queue, .. } in &compared {
            output.json(&Json {
                name: &group.name,
                policy: group.policy.to_string(),
                budget: group.budget.as_deref(),
                preview: (0..).zip(preview).map(|(index, row)| Line::new(index, row)).collect(),
                occ,
                queue,
            })?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    for Compared { letter, group, .. } in &compared {
        writeln!(output, "{HEADER}{letter}{HEADER:#}  {}", group.name)?;
    }
    writeln!(output, "\n{HEADER}Mean delay and the longest{HEADER:#}")?;
    previews(&compared).write(output)?;
    writeln!(output, "\n{HEADER}100 clients update one row (occ){HEADER:#}")?;
    let measures = [Measure::Calls, Measure::Time, Measure::Success, Measure::P50, Measure::P99];
    results(&compared, &measures, |compared| &compared.occ).write(output)?;
    writeln!(output, "\n{HEADER}A service at 70% has an outage of 10s (queue){HEADER:#}")?;
    let measures =
        [Measure::Calls, Measure::Retries, Measure::Success, Measure::P99, Measure::Recovery];
    results(&compared, &measures, |compared| &compared.queue).write(output)?;
    if has_failures(compared.iter().flat_map(|compared| [&compared.occ, &compared.queue])) {
        writeln!(output, "\n{OF_SUCCESSES}")?;
    }
    let runs = arguments.runs;
    let plural = if runs == 1 { "" } else { "s" };
    writeln!(output, "\n{runs} run{plural}, seed {}", arguments.seed)?;
    let is_cut = |compared: &&Compared| compared.queue.cut > 0;
    let letters: String = compared.iter().filter(is_cut).map(|compared| compared.letter).collect();
    if !letters.is_empty() {
        writeln!(output, "Too many calls: the runs of {letters} with a service were cut short.")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn preview(policy: &Policy) -> Vec<PreviewRow> {
    let rows = usize::try_from(default_rows(policy, 0).min(12)).unwrap_or(0);
    policy.preview().take(rows).collect()
}

fn previews(compared: &[Compared]) -> Table {
    let mut table = Table::new().column("index", Align::Right);
    for compared in compared {
        table = table.column(&compared.letter.to_string(), Align::Right);
    }
    let rows = compared.iter().map(|compared| compared.preview.len()).max().unwrap_or(0);
    for index in 0..rows {
        let cell = |compared: &Compared| {
            let row = compared.preview.get(index);
            row.map_or(String::new(), |row| {
                format!("{} {}", humanize(row.mean_ns), humanize(row.max_ns))
            })
        };
        table.row(std::iter::once(index.to_string()).chain(compared.iter().map(cell)));
    }
    table
}

fn results(
    compared: &[Compared],
    measures: &[Measure],
    summary: impl Fn(&Compared) -> &Summary,
) -> Table {
    let mut table = Table::new().column("", Align::Left);
    let fails = has_failures(compared.iter().map(&summary));
    for measure in measures {
        table = table.column(&column_name(*measure, fails), Align::Right);
    }
    for compared in compared {
        let cell = |measure: &Measure| match measure {
            // How it would have gone on is unknown.
            Measure::Recovery => {
                recovery(summary(compared), &format!("not within {}", humanize(WATCHED_NS)))
            }
            measure => measure.cell(summary(compared)),
        };
        table.row(std::iter::once(compared.letter.to_string()).chain(measures.iter().map(cell)));
    }
    table
}
