//! `backoff advise`: tries policies on a service with an outage, and recommends one.

mod choice;
mod grid;
mod service;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use backoff_sim::Shard;
use clap::{Args, value_parser};
use serde::Serialize;

use self::choice::{RULE, Trial, choose};
use self::grid::candidates;
use self::service::{Service, Simulated};
use crate::arguments::{duration, seed};
use crate::commands::simulate::{Progress, invalid, pool, rate, simulate};
use crate::duration::people;
use crate::output::Output;
use crate::plot::grouped;
use crate::report::Measure;
use crate::table::{Align, HEADER, Table};

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Processes that call the service; each has a budget of its own
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    clients: u32,

    /// Calls that the service can serve in a second
    #[arg(long, value_name = "C", value_parser = rate)]
    capacity: f64,

    /// Time that a call takes while the service is idle
    #[arg(long, value_name = "TIME", value_parser = short_duration)]
    latency: u64,

    /// Operations that all clients begin in a second [default: 70% of the capacity]
    #[arg(long, value_name = "R", value_parser = rate)]
    rate: Option<f64>,

    /// How long a client waits for an answer [default: 10 times the latency]
    #[arg(long, value_name = "TIME", value_parser = short_duration)]
    timeout: Option<u64>,

    /// How long the outage is
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = short_duration)]
    outage: u64,

    /// The service accepts every call, also those that it cannot serve before their clients give up
    #[arg(long)]
    unbounded: bool,

    /// Number of runs of each policy
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = value_parser!(u32).range(1..=1000))]
    runs: u32,

    /// Seed: equal seeds give equal advice
    #[arg(long, default_value = "1", value_parser = seed)]
    seed: u64,

    /// Threads; the advice does not depend on them [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Show all policies that were tried
    #[arg(long)]
    all: bool,

    /// Show no progress
    #[arg(long)]
    quiet: bool,
}

const EXAMPLES: &str = "\
The service does not serve during the outage. Its queue has room for the calls that it can serve
before their clients give up, and it rejects the next. With --unbounded it has no limit: then it must
work off all calls that have come together, of which many have no client any more.

Examples:
  backoff advise --clients 50 --capacity 200 --latency 20ms
  backoff advise --clients 2000 --capacity 10000 --latency 5ms --rate 9000 --outage 1m";

/// A time that leaves room for a simulation of many of them.
fn short_duration(text: &str) -> Result<u64, String> {
    const SHORTEST: u64 = 1_000;
    const LONGEST: u64 = 3_600_000_000_000;
    let ns = duration(text)?;
    if (SHORTEST..=LONGEST).contains(&ns) {
        Ok(ns)
    } else {
        Err(format!("{text} is not from {} to {}", people(SHORTEST), people(LONGEST)))
    }
}

#[derive(Serialize)]
struct Advice<'a> {
    clients: u32,
    capacity: f64,
    rate: f64,
    latency_ms: f64,
    timeout_ms: f64,
    outage_ms: f64,
    unbounded: bool,
    runs: u32,
    seed: String,
    recommended: Option<&'a Trial>,
    rule: &'static str,
    trials: &'a [Trial],
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let service = service(arguments);
    let simulated = service.simulated();
    let mut trials = trials(arguments, &service, &simulated, output)?;
    let chosen = choose(&mut trials, milliseconds(service.outage_ns));
    if output.is_json() {
        output.json(&advice(&service, &trials, chosen))?;
    } else {
        write(output, (&service, &simulated), (&trials, chosen), arguments.all)?;
    }
    Ok(if chosen.is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn service(arguments: &Arguments) -> Service {
    let Arguments {
        clients, capacity, latency, rate, timeout, outage, unbounded, runs, seed, ..
    } = *arguments;
    Service {
        clients,
        capacity,
        rate: rate.unwrap_or(capacity * 0.7),
        latency_ns: latency,
        timeout_ns: timeout.unwrap_or(latency.saturating_mul(10)),
        outage_ns: outage,
        is_unbounded: unbounded,
        seed,
        runs,
    }
}

fn trials(
    arguments: &Arguments,
    service: &Service,
    simulated: &Simulated,
    output: &Output,
) -> Result<Vec<Trial>> {
    let candidates = candidates(service.latency_ns, simulated.processes)?;
    let experiment = |candidate: &grid::Candidate| {
        let experiment = simulated.scenario.experiment(candidate.group.clone());
        if let Err(error) = experiment.validate() {
            invalid(&error);
        }
        experiment
    };
    let experiments: Vec<_> = candidates.iter().map(experiment).collect();
    let is_hidden = Progress::is_unwanted(arguments.quiet, output.is_json());
    let progress = Progress::new(&experiments, Shard::WHOLE, is_hidden);
    let pool = pool(arguments.threads)?;
    let mut trials = Vec::new();
    for (experiment, candidate) in experiments.iter().zip(&candidates) {
        let totals = simulate(experiment, Shard::WHOLE, &pool, &progress)?;
        let summary = experiment.summary(&totals);
        trials.push(Trial::new(experiment, &summary, candidate.has_jitter));
    }
    progress.finish();
    Ok(trials)
}

#[expect(clippy::cast_precision_loss, reason = "times below an hour")]
fn milliseconds(ns: u64) -> f64 {
    ns as f64 / 1e6
}

fn advice<'a>(service: &Service, trials: &'a [Trial], chosen: Option<usize>) -> Advice<'a> {
    let ms = milliseconds;
    Advice {
        clients: service.clients,
        capacity: service.capacity,
        rate: service.rate,
        latency_ms: ms(service.latency_ns),
        timeout_ms: ms(service.timeout_ns),
        outage_ms: ms(service.outage_ns),
        unbounded: service.is_unbounded,
        runs: service.runs,
        seed: service.seed.to_string(),
        recommended: chosen.and_then(|number| trials.get(number)),
        rule: RULE,
        trials,
    }
}

fn write(
    output: &mut Output,
    (service, simulated): (&Service, &Simulated),
    (trials, chosen): (&[Trial], Option<usize>),
    shows_all: bool,
) -> Result<()> {
    writeln!(
        output,
        "{} clients begin {} operations per second; the service can serve {}, each in {}.\nClients \
         wait {} for an answer. The outage takes {}. {} runs, seed {}.",
        service.clients,
        grouped(service.rate),
        grouped(service.capacity),
        people(service.latency_ns),
        people(service.timeout_ns),
        people(service.outage_ns),
        service.runs,
        service.seed,
    )?;
    if simulated.times > 1.0 {
        let times = grouped(simulated.times);
        writeln!(
            output,
            "A part of the service is simulated; the whole is {times} times as large."
        )?;
    }
    writeln!(output)?;
    write_table(output, trials, chosen, shows_all)?;
    writeln!(output)?;
    let Some(best) = chosen.and_then(|number| trials.get(number)) else {
        writeln!(
            output,
            "The service does not recover even without retries. No retry policy helps: it needs \
             more capacity, or a limit on its queue."
        )?;
        return Ok(());
    };
    writeln!(output, "{HEADER}Recommended{HEADER:#}")?;
    writeln!(output, "  policy  {}", best.policy)?;
    writeln!(output, "  budget  {}\n", best.budget.as_deref().unwrap_or("none"))?;
    write_reasons(output, trials, best)
}

/// The rows of a table, unless the user wants all.
const BEST: usize = 12;

/// The trials, the best first; those that are not safe last.
fn write_table(
    output: &mut Output,
    trials: &[Trial],
    chosen: Option<usize>,
    shows_all: bool,
) -> Result<()> {
    let mut order: Vec<_> = (0..trials.len()).collect();
    order.sort_by(|&a, &b| {
        let key = |number: usize| (chosen != Some(number), !trials[number].is_safe);
        let success = |number: usize| trials[number].success_rate;
        key(a).cmp(&key(b)).then(success(b).total_cmp(&success(a)))
    });
    let mut table = Table::new()
        .column("policy", Align::Left)
        .column("budget", Align::Left)
        .column("success", Align::Right)
        .column("calls/operation", Align::Right)
        .column("p99", Align::Right)
        .column("recovery", Align::Right)
        .column("safe", Align::Left);
    let rows = if shows_all { order.len() } else { BEST };
    for &number in order.iter().take(rows) {
        let trial = &trials[number];
        table.row([
            trial.policy.clone(),
            trial.budget.clone().unwrap_or_default(),
            Measure::Success.text(trial.success_rate * 100.0),
            grouped(trial.calls_per_operation),
            trial.p99_ms.map_or("-".to_owned(), |ms| Measure::P99.text(ms)),
            recovery(trial),
            if trial.is_safe { "yes" } else { "no" }.to_owned(),
        ]);
    }
    table.write(output)?;
    if rows < order.len() {
        writeln!(output, "... and {} more, with --all", order.len() - rows)?;
    }
    Ok(())
}

fn recovery(trial: &Trial) -> String {
    trial.recovery_ms.map_or("never".to_owned(), |ms| Measure::Recovery.text(ms))
}

fn write_reasons(output: &mut Output, trials: &[Trial], best: &Trial) -> Result<()> {
    let Some(without) = trials.first() else { return Ok(()) };
    let percent = |trial: &Trial| Measure::Success.text(trial.success_rate * 100.0);
    if best == without {
        writeln!(
            output,
            "- No safe policy has more successes than no retries, {}.",
            percent(best)
        )?;
    } else {
        let (with, without_retries) = (percent(best), percent(without));
        writeln!(output, "- {with} of operations succeed, and {without_retries} without retries.")?;
        writeln!(
            output,
            "- The service receives {} calls for each operation.",
            grouped(best.calls_per_operation),
        )?;
    }
    writeln!(
        output,
        "- It recovers in {} after the outage, and in {} without retries.",
        recovery(best),
        recovery(without),
    )?;
    let (safe, all) = (trials.iter().filter(|trial| trial.is_safe).count(), trials.len());
    let never = trials.iter().filter(|trial| trial.recovery_ms.is_none()).count();
    writeln!(
        output,
        "- {safe} of {all} policies are safe. With {never}, the service does not recover in every \
         run.\n\n{}",
        wrapped(RULE),
    )?;
    Ok(())
}

/// The text in lines of at most 100 characters.
fn wrapped(text: &str) -> String {
    let mut lines = String::new();
    let mut length = 0;
    for word in text.split(' ') {
        if length > 0 && length + 1 + word.len() > 100 {
            lines.push('\n');
            length = 0;
        } else if length > 0 {
            lines.push(' ');
            length += 1;
        }
        lines.push_str(word);
        length += word.len();
    }
    lines
}
