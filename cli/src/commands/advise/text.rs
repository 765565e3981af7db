//! The advice in words and tables.

use std::io::Write;

use anyhow::Result;

use super::judgement::RULE;
use super::service::{Service, Simulated};
use super::trial::Trial;
use super::verdict::Verdict;
use crate::duration::people;
use crate::output::Output;
use crate::plot::grouped;
use crate::report::Measure;
use crate::table::{Align, HEADER, Table};

pub(crate) fn write(
    output: &mut Output,
    (service, simulated): (&Service, &Simulated),
    (trials, chosen): (&[Trial], Option<usize>),
    shows_all: bool,
) -> Result<()> {
    writeln!(
        output,
        "{} clients begin {} operations per second; the service can serve {}, each in {}.\nOf the \
         calls {} fail by themselves. Clients wait {} for an answer. The outage takes {}.\n{} runs \
         of each, seed {}.",
        service.clients,
        grouped(service.rate),
        grouped(service.capacity),
        people(service.latency_ns),
        percent(service.failure.value()),
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
    write_table(output, trials, shows_all)?;
    writeln!(output)?;
    let Some(no_retries) = trials.first() else { return Ok(()) };
    if no_retries.recovery_ms.is_none() {
        writeln!(
            output,
            "Nothing is recommended. The service does not recover even without retries. No retry \
             policy helps:\nit needs more capacity, or a limit on its queue."
        )?;
        return Ok(());
    }
    match chosen.and_then(|number| trials.get(number)) {
        Some(best) => write_recommended(output, best, no_retries)?,
        None => writeln!(
            output,
            "Nothing is recommended. No safe policy has more successes than no retries, {}, by more \
             than\ntwo standard errors.",
            percent(no_retries.success_rate)
        )?,
    }
    write_lost(output, trials)?;
    writeln!(output, "\n{}", wrapped(RULE))?;
    Ok(())
}

/// The rows of a table, unless the user wants all.
const BEST: usize = 8;

/// The trials, the best first, and among them no retries.
fn write_table(output: &mut Output, trials: &[Trial], shows_all: bool) -> Result<()> {
    let mut order: Vec<_> = trials.iter().collect();
    order.sort_by(|a, b| {
        (b.verdict.cmp(&a.verdict)).then(b.success_rate.total_cmp(&a.success_rate))
    });
    let mut table = Table::new()
        .column("policy", Align::Left)
        .column("budget", Align::Left)
        .column("success", Align::Right)
        .column("p99", Align::Right)
        .column("calls in outage", Align::Right)
        .column("recovery", Align::Right)
        .column("", Align::Left);
    let rows = if shows_all { order.len() } else { BEST };
    for trial in order.iter().take(rows) {
        table.row([
            trial.policy.clone(),
            trial.budget.clone().unwrap_or_default(),
            percent(trial.success_rate),
            trial.p99_ms.map_or("-".to_owned(), |ms| Measure::P99.text(ms)),
            grouped(trial.calls_per_operation),
            recovery(trial),
            trial.verdict.text().to_owned(),
        ]);
    }
    table.write(output)?;
    if rows < order.len() {
        writeln!(output, "... and {} more, with --all", order.len() - rows)?;
    }
    Ok(())
}

fn percent(part: f64) -> String {
    Measure::Success.text(part * 100.0)
}

fn recovery(trial: &Trial) -> String {
    trial.recovery_ms.map_or("never".to_owned(), |ms| Measure::Recovery.text(ms))
}

fn write_recommended(output: &mut Output, best: &Trial, no_retries: &Trial) -> Result<()> {
    writeln!(output, "{HEADER}Recommended{HEADER:#}")?;
    writeln!(output, "  policy  {}", best.policy)?;
    writeln!(output, "  budget  {}\n", best.budget.as_deref().unwrap_or("none"))?;
    let gain = best.success_rate - no_retries.success_rate;
    writeln!(
        output,
        "- In normal operation {} of the operations succeed, and {} without retries:\n  a gain of \
         {:.3} percent, with a standard error of {:.3}.",
        percent(best.success_rate),
        percent(no_retries.success_rate),
        gain * 100.0,
        best.success_sem.hypot(no_retries.success_sem) * 100.0,
    )?;
    writeln!(
        output,
        "- With the outage the service receives {} calls for each operation, and it recovers in {}\n  \
         after it, {} without retries.",
        grouped(best.calls_per_operation),
        recovery(best),
        recovery(no_retries),
    )?;
    Ok(())
}

/// How many policies lost for each reason, and one of them.
fn write_lost(output: &mut Output, trials: &[Trial]) -> Result<()> {
    writeln!(output, "\n{HEADER}Why not the others{HEADER:#}")?;
    let mut table = Table::new()
        .column("policies", Align::Right)
        .column("reason", Align::Left)
        .column("for example", Align::Left);
    for reason in Verdict::LOST {
        let mut lost = trials.iter().filter(|trial| trial.verdict == reason);
        if let Some(first) = lost.next() {
            let budget = first.budget.as_ref().map(|budget| format!(" with {budget}"));
            let example = format!("{}{}", first.policy, budget.unwrap_or_default());
            let value = match reason {
                Verdict::LateRecovery => format!(": {}", recovery(first)),
                Verdict::TooManyCalls | Verdict::MoreCalls => {
                    format!(": {}", grouped(first.calls_per_operation))
                }
                Verdict::FewerSuccesses => format!(": {}", percent(first.success_rate)),
                Verdict::LongerLatency => {
                    first.p99_ms.map_or(String::new(), |ms| format!(": {}", Measure::P99.text(ms)))
                }
                _ => String::new(),
            };
            table.row([
                (lost.count() + 1).to_string(),
                reason.text().to_owned(),
                format!("{example}{value}"),
            ]);
        }
    }
    table.write(output)?;
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
