//! `backoff import`: the policy of a configuration of an engine that retries by itself.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use backoff_export::{ImportOptions, Imported, import_with};
use clap::Args;
use serde::Serialize;

use crate::arguments::number;
use crate::commands::export::{formats, refuse_servers_of_another, write_warnings};
use crate::output::{Output, error_label, message};

/// No configuration is longer.
const MAX_LENGTH: u64 = 1 << 24;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// File with the configuration; `-` is standard input
    #[arg(default_value = "-")]
    file: PathBuf,

    /// Format of the configuration
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    from: String,

    /// Place of the policy in a file that has several, such as `spec.http[1]`
    #[arg(long, value_name = "PLACE")]
    at: Option<String>,

    /// Number of servers of the `upstream`; nginx tries each once
    #[arg(long, value_name = "COUNT", value_parser = number(1..=u32::MAX))]
    servers: Option<u32>,
}

const EXAMPLES: &str = "\
The first line is the policy string. If the configuration has a budget, the second line is the
budget string. A setting that is missing has the default of the engine. The file is JSON or YAML,
and may be a whole manifest; nginx has its directives. A limit of time beside the policy is not
imported, and is named on standard error.

Examples:
  backoff export --to envoy envoy:retry_after_max=0s | backoff import --from envoy
  echo 'maximumAttempts: 5' | backoff import --from temporal
  echo 'proxy_next_upstream_tries 3;' | backoff import --from nginx --servers 2
  echo '[retries: {}, retries: {attempts: 2}]' | backoff import --from istio --at '[1]'";

#[derive(Serialize)]
struct Printed<'a> {
    policy: String,
    budget: Option<String>,
    warnings: &'a [String],
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let file = &arguments.file;
    let name =
        if is_standard_input(file) { "standard input".into() } else { file.to_string_lossy() };
    let format = arguments.from.parse()?;
    refuse_servers_of_another(format, arguments.servers);
    let text = read(file).with_context(|| format!("cannot read {name}"))?;
    let options = ImportOptions { at: arguments.at.as_deref(), servers: arguments.servers };
    let Imported { policy, budget, warnings, .. } = match import_with(&text, format, options) {
        Ok(imported) => imported,
        Err(error) if error.is_ambiguous() => {
            message(format_args!("{} {name}: {error}", error_label()));
            if let Some(place) = error.places().iter().find(|place| !place.is_empty()) {
                let place = place.replace('\'', r"'\''");
                message(format_args!("  tip: --at chooses a place, such as --at '{place}'"));
            }
            return Ok(ExitCode::FAILURE);
        }
        Err(error) => return Err(error).with_context(|| name.into_owned()),
    };
    let (policy, budget) = (policy.to_string(), budget.map(|budget| budget.text().to_string()));
    if output.is_json() {
        output.json(&Printed { policy, budget, warnings: &warnings })?;
    } else {
        write_warnings(&warnings);
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
    let source: Box<dyn Read> = if is_standard_input(path) {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(path)?)
    };
    let mut text = String::new();
    // A device may have no end.
    if source.take(MAX_LENGTH + 1).read_to_string(&mut text)? as u64 > MAX_LENGTH {
        return Err(io::Error::other(format!("it is longer than {MAX_LENGTH} bytes")));
    }
    Ok(text)
}
