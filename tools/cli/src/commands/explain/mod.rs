//! `backoff explain`: what a policy means, where it comes from, and what to change.

mod advice;
mod budget;
mod combined;
mod facts;
mod left;
mod percent;
mod rules;
mod sentences;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use anyhow::Result;
use backoff_core::{Budget, FieldValue, Policy};
use clap::Args;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::arguments::{BudgetArgument, PolicyArgument, SeedAndKey};
use crate::commands::explain::advice::{Advice, Change, Use};
use crate::commands::explain::combined::Combined;
use crate::commands::explain::facts::Facts;
use crate::commands::explain::left::Left;
use crate::commands::explain::rules::Level;
use crate::fields::used;
use crate::output::Output;
use crate::presets::{Preset, preset_of};

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Policy string or preset
    policy: PolicyArgument,

    /// Budget string or preset that limits the retries
    #[arg(long)]
    budget: Option<BudgetArgument>,

    /// Explain the budget that processes share in this file, and say what it has left
    #[arg(long, value_name = "FILE", conflicts_with = "budget")]
    budget_file: Option<PathBuf>,

    #[command(flatten)]
    stream: SeedAndKey,
}

const EXAMPLES: &str = "\
Examples:
  backoff explain full:base=100ms,cap=20s,max_retries=5
  backoff explain gax --budget sre
  backoff explain grpc-connect --json";

#[derive(Serialize)]
struct Explanation<'a> {
    canonical: String,
    preset: Option<&'static Preset>,
    fields: Map<String, Value>,
    sentences: &'a [String],
    budget: Option<BudgetExplanation>,
    advice: &'a [Advice],
    /// The policy that all warnings together propose, if there are several.
    combined: Option<String>,
}

#[derive(Serialize)]
struct BudgetExplanation {
    canonical: String,
    preset: Option<&'static Preset>,
    sentence: String,
    /// What is left, if it is the budget of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<Left>,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let Arguments { policy, budget, budget_file, stream } = arguments;
    let of_file = budget_file.as_deref().map(left::read).transpose()?;
    let (of_file, left) = of_file.unzip();
    let budget = of_file.as_ref().or(budget.as_ref());
    let facts = Facts::of(policy);
    let sentences = sentences::sentences(&facts);
    let preset = preset_of("policy", &policy.text);
    let used = Use { preset, budget: budget.map(|budget| &**budget), stream };
    let advice = advice::advice(&facts, &used);
    let combined = combined::combined(policy);
    let budget = budget.map(|budget| BudgetExplanation {
        canonical: budget.budget.to_string(),
        preset: preset_of("budget", &budget.text),
        sentence: budget::sentence(budget),
        left,
    });
    if output.is_json() {
        output.json(&Explanation {
            canonical: policy.policy.to_string(),
            preset,
            fields: fields(&policy.policy),
            sentences: &sentences,
            budget,
            advice: &advice,
            combined: combined.map(|combined| combined.policy.to_string()),
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let is_changed = |preset: &Preset| Policy::parse(preset.name) != Ok(policy.policy);
    write_text(output, &policy.policy.to_string(), preset, is_changed)?;
    for sentence in &sentences {
        writeln!(output, "- {sentence}")?;
    }
    if let Some(budget) = budget {
        writeln!(output)?;
        let is_changed = |preset: &Preset| {
            Budget::parse(preset.name).is_ok_and(|of| of.to_string() != budget.canonical)
        };
        write_text(output, &budget.canonical, budget.preset, is_changed)?;
        writeln!(output, "- {}", budget.sentence)?;
        if let Some(left) = budget.left {
            writeln!(output, "- {}", left.sentence())?;
        }
    }
    for advice in &advice {
        write_advice(output, advice)?;
    }
    if let Some(Combined { policy, notes }) = combined {
        writeln!(output, "\nFor all warnings about the policy together, use {policy}")?;
        for note in notes {
            writeln!(output, "- {note}")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn write_text(
    output: &mut Output,
    canonical: &str,
    preset: Option<&Preset>,
    is_changed: impl Fn(&Preset) -> bool,
) -> Result<()> {
    let (bold, dim) = (Style::new().bold(), Style::new().dimmed());
    writeln!(output, "{bold}{canonical}{bold:#}")?;
    if let Some(preset @ Preset { name, source, link, .. }) = preset {
        let changed = if is_changed(preset) { ", changed" } else { "" };
        writeln!(output, "{dim}preset {name}{changed}: {source}{dim:#}")?;
        if let Some(link) = link {
            writeln!(output, "{dim}{link}{dim:#}")?;
        }
    }
    writeln!(output)?;
    Ok(())
}

fn write_advice(output: &mut Output, advice: &Advice) -> Result<()> {
    let (label, color) = match advice.level {
        Level::Warning => ("warning", AnsiColor::Yellow),
        Level::Note => ("note", AnsiColor::Cyan),
    };
    let style = Style::new().bold().fg_color(Some(color.into()));
    writeln!(output, "\n{style}{label}{style:#}: {}", advice.message)?;
    match &advice.change {
        Change::Policy(policy) => writeln!(output, "  use {policy}")?,
        Change::Budget(budget) => writeln!(output, "  use --budget {budget}")?,
        Change::Option(option) => writeln!(output, "  add {option}")?,
    }
    Ok(())
}

/// The fields that the policy uses: kinds by name, durations in nanoseconds, counts as numbers and
/// ratios as text, waits as a list, as in `tests/README.md`, and null for a limit that is `none`.
fn fields(policy: &Policy) -> Map<String, Value> {
    let shown = |value| match value {
        FieldValue::NoLimit => Value::Null,
        FieldValue::Count(count) => Value::from(count),
        FieldValue::Waits(waits) => waits.as_ns().iter().map(u64::to_string).collect(),
        value => Value::from(value.as_ns().map_or_else(|| value.to_string(), |ns| ns.to_string())),
    };
    used(policy).map(|(field, value)| (field.name().to_owned(), shown(value))).collect()
}
