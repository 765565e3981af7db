//! `backoff presets`: the presets of policies and of budgets.

use std::io::Write;
use std::process::ExitCode;

use anstyle::Style;
use anyhow::Result;
use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::output::Output;
use crate::presets::{Preset, presets};

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Show only the presets of this name
    #[arg(value_parser = PossibleValuesParser::new(names()), hide_possible_values = true)]
    name: Option<String>,
}

const EXAMPLES: &str = "\
A preset can be changed where it is used: `aws-sdk-2026:max_retries=5`.

Examples:
  backoff presets
  backoff presets aws-sdk-2026
  backoff presets --json";

/// The names, each once: a policy and a budget can have the same one.
fn names() -> Vec<&'static str> {
    let mut names = Vec::new();
    for preset in presets() {
        if !names.contains(&preset.name) {
            names.push(preset.name);
        }
    }
    names
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let name = arguments.name.as_deref();
    let chosen = |preset: &&Preset| name.is_none_or(|name| name == preset.name);
    if output.is_json() {
        for preset in presets().iter().filter(chosen) {
            output.json(preset)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    for (of, heading) in [("policy", "Policies"), ("budget", "Budgets")] {
        let group: Vec<_> =
            presets().iter().filter(chosen).filter(|preset| preset.of == of).collect();
        if group.is_empty() {
            continue;
        }
        let header = Style::new().bold().underline();
        if of == "budget"
            && name.is_none_or(|name| {
                presets().iter().any(|preset| preset.of == "policy" && preset.name == name)
            })
        {
            writeln!(output)?;
        }
        writeln!(output, "{header}{heading}{header:#}")?;
        for preset in group {
            write_preset(preset, output)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn write_preset(preset: &Preset, output: &mut Output) -> Result<()> {
    let (bold, dim) = (Style::new().bold(), Style::new().dimmed());
    let Preset { name, string, source, link, .. } = preset;
    writeln!(output, "  {bold}{name:21}{bold:#} {string}")?;
    writeln!(output, "  {:21} {dim}{source}{dim:#}", "")?;
    if let Some(link) = link {
        writeln!(output, "  {:21} {dim}{link}{dim:#}", "")?;
    }
    Ok(())
}
