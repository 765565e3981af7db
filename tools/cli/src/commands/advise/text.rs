//! The advice in words and tables.

use std::io::Write;

use anyhow::Result;

use super::arguments::Goals;
use super::judgement::RULE;
use super::service::{Service, Simulated};
use super::trial::Trial;
use super::verdict::Verdict;
use crate::bars::terminal_width;
use crate::duration::humanize;
use crate::output::Output;
use crate::plot::grouped;
use crate::report::{Measure, OF_SUCCESSES};
use crate::table::{Align, HEADER, Table};

pub(crate) fn write(
    output: &mut Output,
    (service, simulated): (&Service, &Simulated),
    goals: &Goals,
    (trials, chosen): (&[Trial], Option<usize>),
    shows_all: bool,
) -> Result<()> {
    writeln!(output, "{}\n", wrapped(&described(service, simulated)))?;
    if let Some(goals) = asked(goals) {
        writeln!(output, "{}\n", wrapped(&goals))?;
    }
    write_table(output, trials, shows_all)?;
    writeln!(output)?;
    let Some(no_retries) = trials.first() else { return Ok(()) };
    if let Some(best) = chosen.and_then(|number| trials.get(number)) {
        write_recommended(output, best, no_retries)?;
    } else {
        writeln!(output, "{}", wrapped(&nothing(service, trials, no_retries)))?;
        if no_retries.recovery_ms.is_none() {
            return Ok(());
        }
    }
    write_lost(output, trials)?;
    writeln!(output, "\n{}", wrapped(RULE))?;
    Ok(())
}

fn described(service: &Service, simulated: &Simulated) -> String {
    let counted = |count: u32, what: &str| match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    };
    let rate = grouped(service.rate);
    let operations = if rate == "1" { "operation" } else { "operations" };
    let begin = if service.clients == 1 { "begins" } else { "begin" };
    let clients = counted(service.clients, "client");
    let latency = humanize(service.latency_ns);
    let capacity = grouped(service.capacity);
    let capacity = format!("{capacity} {}", if capacity == "1" { "call" } else { "calls" });
    let served = if service.limits_rate() {
        format!(
            "The service limits the rate: it admits {capacity} per second, as many at once, answers \
             each in {latency}, and rejects the others."
        )
    } else {
        format!("The service can serve {capacity} per second, each in {latency}.")
    };
    let failures = format!(
        "Of the calls {} fail by themselves. Clients wait {} for an answer. The outage takes {}.",
        percent(service.failure.value()),
        humanize(service.timeout_ns),
        humanize(service.outage_ns)
    );
    let part = (simulated.times > 1.0).then(|| {
        let times = grouped(simulated.times);
        format!("A part of the service is simulated; the whole is {times} times as large.")
    });
    let runs = format!("{} of each policy, seed {}.", counted(service.runs, "run"), service.seed);
    let begin = format!("{clients} {begin} {rate} {operations} per second.");
    let sentences = [Some(begin), Some(served), Some(failures), part, Some(runs)];
    sentences.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn asked(goals: &Goals) -> Option<String> {
    let p99 = goals.p99.map(|ns| format!("a p99 of at most {}", humanize(ns)));
    let success = goals.success.map(|share| format!("a success of at least {}", percent(share)));
    let deadline = goals.deadline.map(|ns| format!("a deadline of {}", humanize(ns)));
    let goals: Vec<_> = [p99, success, deadline].into_iter().flatten().collect();
    (!goals.is_empty()).then(|| format!("The goals: {}.", goals.join(", and ")))
}

fn nothing(service: &Service, trials: &[Trial], no_retries: &Trial) -> String {
    if no_retries.recovery_ms.is_none() {
        let more = if service.rate >= service.capacity {
            "it gets more calls than it can serve, and needs more capacity"
        } else if service.is_unbounded {
            "it needs more capacity, or a limit on its queue"
        } else {
            "it needs more capacity, or clients that wait longer"
        };
        return format!(
            "Nothing is recommended. The service does not recover even without retries. No retry \
             policy helps: {more}."
        );
    }
    let misses = || trials.iter().filter(|trial| trial.verdict == Verdict::MissesGoal);
    let is_any_safe = trials.iter().skip(1).any(|trial| trial.verdict > Verdict::MissesGoal);
    let most = misses().max_by(|a, b| a.success_rate.total_cmp(&b.success_rate));
    let p99 = misses().filter_map(|trial| trial.p99_ms).min_by(f64::total_cmp);
    match (most, p99) {
        (Some(most), Some(p99)) if !is_any_safe => format!(
            "Nothing is recommended. No safe policy meets the goals: of those that miss them, the \
             most successes are {}, and the shortest p99 is {}.",
            percent(most.success_rate),
            Measure::P99.text(p99)
        ),
        _ => format!(
            "Nothing is recommended. No safe policy has more successes than no retries, {}, by more \
             than two standard errors.",
            percent(no_retries.success_rate)
        ),
    }
}

/// The rows of a table, unless the user wants all.
const BEST: usize = 8;

fn write_table(output: &mut Output, trials: &[Trial], shows_all: bool) -> Result<()> {
    let mut order: Vec<_> = trials.iter().collect();
    order.sort_by(|a, b| {
        (b.verdict.cmp(&a.verdict)).then(b.success_rate.total_cmp(&a.success_rate))
    });
    let mut table = Table::new()
        .column("policy", Align::Left)
        .column("success", Align::Right)
        .column("p99*", Align::Right)
        .column("calls", Align::Right)
        .column("recovery", Align::Right)
        .column("", Align::Left);
    let rows = if shows_all { order.len() } else { BEST };
    for trial in order.iter().take(rows) {
        table.row([
            trial.name.clone(),
            percent(trial.success_rate),
            trial.p99_ms.map_or("-".to_owned(), |ms| Measure::P99.text(ms)),
            grouped(trial.calls_per_operation),
            trial.recovery.clone(),
            trial.verdict.short().to_owned(),
        ]);
    }
    table.write(output)?;
    if rows < order.len() {
        writeln!(output, "... and {} more, with --all", order.len() - rows)?;
    }
    writeln!(output, "{OF_SUCCESSES}")?;
    Ok(())
}

fn percent(part: f64) -> String {
    Measure::Success.text(part * 100.0)
}

fn write_recommended(output: &mut Output, best: &Trial, no_retries: &Trial) -> Result<()> {
    writeln!(output, "{HEADER}Recommended{HEADER:#}")?;
    let (policy, budget) = best.name.split_once(";budget=").unwrap_or((&best.name, "none"));
    writeln!(output, "  policy  {policy}")?;
    writeln!(output, "  budget  {budget}\n")?;
    let gain = best.success_rate - no_retries.success_rate;
    let normal = format!(
        "- In normal operation {} of the operations succeed, and {} without retries: a gain of \
         {:.3} percentage points, with a standard error of {:.3}.",
        percent(best.success_rate),
        percent(no_retries.success_rate),
        gain * 100.0,
        best.success_sem.hypot(no_retries.success_sem) * 100.0,
    );
    let p99 = |trial: &Trial| trial.p99_ms.map_or("-".to_owned(), |ms| Measure::P99.text(ms));
    let latency = format!(
        "- Of those that succeed, 99 of 100 take at most {}, and {} without retries.",
        p99(best),
        p99(no_retries)
    );
    let outage = format!(
        "- With the outage the service receives {} calls for each operation, and it recovers in {} \
         after it, {} without retries.",
        grouped(best.calls_per_operation),
        best.recovery,
        no_retries.recovery,
    );
    for line in [normal, latency, outage] {
        writeln!(output, "{}", wrapped(&line))?;
    }
    Ok(())
}

fn write_lost(output: &mut Output, trials: &[Trial]) -> Result<()> {
    writeln!(output, "\n{HEADER}Why not the others{HEADER:#}")?;
    let mut table = Table::new()
        .column("policies", Align::Right)
        .column("reason", Align::Left)
        .column("for example", Align::Left);
    for reason in Verdict::LOST {
        let mut lost = trials.iter().filter(|trial| trial.verdict == reason);
        if let Some(first) = lost.next() {
            let example = &first.name;
            let value = match reason {
                Verdict::NoRecovery | Verdict::LateRecovery => format!(": {}", first.recovery),
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

/// The text in lines that the terminal has room for, but not in very long ones. Those of an item of a
/// list are indented.
fn wrapped(text: &str) -> String {
    let width = terminal_width().min(100);
    let indent = if text.starts_with("- ") { "  " } else { "" };
    let mut lines = String::new();
    let mut length = 0;
    for word in text.split(' ') {
        let word_length = word.chars().count();
        if length > 0 && length + 1 + word_length > width {
            lines.push('\n');
            lines.push_str(indent);
            length = indent.len();
        } else if length > 0 {
            lines.push(' ');
            length += 1;
        }
        lines.push_str(word);
        length += word_length;
    }
    lines
}
