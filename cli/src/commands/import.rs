//! `backoff import`: the policy of a configuration of an engine that retries by itself.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;

use crate::commands::export::formats;
use crate::output::Output;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// File with the configuration; `-` is standard input
    #[arg(default_value = "-")]
    file: PathBuf,

    /// Format of the configuration
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    from: String,
}

const EXAMPLES: &str = "\
The first line is the policy string. If the configuration has a budget, the second line is the
budget string. A setting that is missing has the default of the engine.

Examples:
  backoff export --to envoy envoy:retry_after_max=0s | backoff import --from envoy
  echo '{\"maximumAttempts\": 5}' | backoff import --from temporal
  echo 'proxy_next_upstream_tries 3;' | backoff import --from nginx --json";

#[derive(Serialize)]
struct Imported {
    policy: String,
    budget: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let file = &arguments.file;
    let name =
        if is_standard_input(file) { "standard input".into() } else { file.to_string_lossy() };
    let text = read(file).with_context(|| format!("cannot read {name}"))?;
    let imported = backoff_export::import(&text, arguments.from.parse()?);
    let (policy, budget) = imported.with_context(|| name.into_owned())?;
    let (policy, budget) = (policy.to_string(), budget.map(|budget| budget.text().to_string()));
    if output.is_json() {
        output.json(&Imported { policy, budget })?;
    } else {
        writeln!(output, "{policy}")?;
        if let Some(budget) = budget {
            writeln!(output, "{budget}")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

fn read(path: &Path) -> io::Result<String> {
    if !is_standard_input(path) {
        return fs::read_to_string(path);
    }
    let mut text = String::new();
    io::stdin().lock().read_to_string(&mut text)?;
    Ok(text)
}
