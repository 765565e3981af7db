//! `backoff export`: a policy as the configuration of an engine that retries by itself.

use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use anyhow::Result;
use backoff_export::{Difference, ExportError, ExportOptions, Exported, Format, export_with};
use clap::Args;
use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use serde::Serialize;

use crate::arguments::{BudgetArgument, PolicyArgument, number};
use crate::output::{Output, error_label, message};
use crate::table::{Align, Table};
use crate::usage::refuse;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Policy string or preset
    policy: PolicyArgument,

    /// Format of the configuration
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    to: String,

    /// Budget string or preset
    #[arg(long)]
    budget: Option<BudgetArgument>,

    /// Export the nearest policy that the engine has, and list the differences on standard error
    #[arg(long)]
    nearest: bool,

    /// Write YAML in blocks instead of JSON
    #[arg(long)]
    yaml: bool,

    /// Number of servers of the `upstream`; nginx tries each once
    #[arg(long, value_name = "COUNT", value_parser = number(1..=u32::MAX))]
    servers: Option<u32>,
}

const EXAMPLES: &str = "\
The engine waits and stops as the policy does. If it cannot, each field that has no equivalent is
named on standard error, and the exit code is 1; with --nearest, the nearest policy is exported.
Which failures are retried is not part of a policy: the configuration has a common choice, to be
edited.

Examples:
  backoff export --to grpc grpc-retry:retry_after_max=none --budget grpc-retry
  backoff export --to envoy envoy:max_retries=3,retry_after_max=0s --budget envoy
  backoff export --to step-functions full:base=1s,cap=20s,max_retries=5
  backoff export --to istio default --nearest --yaml";

pub(crate) fn formats() -> PossibleValuesParser {
    PossibleValuesParser::new(Format::ALL.iter().map(|format| format.name()))
}

#[derive(Serialize)]
struct Printed<'a> {
    format: &'a str,
    text: &'a str,
    /// The policy that the engine has then.
    policy: String,
    differences: Vec<Differs<'a>>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct Differs<'a> {
    field: &'static str,
    policy: &'a str,
    engine: &'a str,
    reason: &'a str,
}

#[derive(Serialize)]
struct Refused<'a> {
    field: &'static str,
    value: &'a str,
    reason: &'a str,
    message: String,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let Arguments { policy, nearest, yaml, servers, .. } = arguments;
    let (budget, format) = (arguments.budget.as_deref(), arguments.to.parse()?);
    refuse_servers_of_another(format, *servers);
    if *yaml && format == Format::Nginx {
        refuse(ErrorKind::ArgumentConflict, "nginx is not written in YAML; leave --yaml out");
    }
    let options = ExportOptions { nearest: *nearest, servers: *servers, yaml: *yaml };
    match export_with(policy, budget, format, options) {
        Ok(exported) => {
            write_export(&exported, format, output)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            write_refusals(&error, output)?;
            let near = ExportOptions { nearest: true, ..options };
            let has_nearest = !nearest && export_with(policy, budget, format, near).is_ok();
            if has_nearest && !output.is_json() {
                let engine = format.engine();
                message(format_args!(
                    "  tip: --nearest exports the nearest policy that {engine} has, and lists the \
                     differences"
                ));
            }
            Ok(ExitCode::FAILURE)
        }
    }
}

pub(crate) fn refuse_servers_of_another(format: Format, servers: Option<u32>) {
    if servers.is_some() && format != Format::Nginx {
        refuse(ErrorKind::ArgumentConflict, "--servers is for nginx only");
    }
}

pub(crate) fn write_warnings(warnings: &[String]) {
    for warning in warnings {
        write_warning(warning);
    }
}

fn write_warning(warning: impl Display) {
    let style = Style::new().bold().fg_color(Some(AnsiColor::Yellow.into()));
    message(format_args!("{style}warning:{style:#} {warning}"));
}

fn write_export(exported: &Exported, format: Format, output: &mut Output) -> Result<()> {
    let Exported { text, policy, differences, warnings, .. } = exported;
    if output.is_json() {
        let differs = |one| {
            let one: &Difference = one;
            let (policy, engine, reason) = (one.policy(), one.engine(), one.reason());
            Differs { field: one.field().name(), policy, engine, reason }
        };
        return output.json(&Printed {
            format: format.name(),
            text,
            policy: policy.to_string(),
            differences: differences.iter().map(differs).collect(),
            warnings,
        });
    }
    if !differences.is_empty() {
        write_differences(differences, format)?;
    }
    write_warnings(warnings);
    output.write_all(text.as_bytes())?;
    Ok(())
}

/// Writes a table of what the policy says and the engine does not do.
fn write_differences(differences: &[Difference], format: Format) -> Result<()> {
    let mut table = Table::new()
        .column("field", Align::Left)
        .column("policy", Align::Left)
        .column(format.engine(), Align::Left)
        .column("why", Align::Left);
    for one in differences {
        let cells = [one.field().name(), one.policy(), one.engine(), one.reason()];
        table.row(cells.map(str::to_owned));
    }
    let mut lines = Vec::new();
    table.write(&mut lines)?;
    let lines = String::from_utf8_lossy(&lines);
    write_warning(format_args!(
        "{} does not do what the policy says:\n\n{}\n",
        format.engine(),
        lines.trim_end()
    ));
    Ok(())
}

fn write_refusals(error: &ExportError, output: &mut Output) -> Result<()> {
    for refusal in error.refusals() {
        if output.is_json() {
            output.json(&Refused {
                field: refusal.field().name(),
                value: refusal.value(),
                reason: refusal.reason(),
                message: refusal.to_string(),
            })?;
        } else {
            message(format_args!("{} {refusal}", error_label()));
        }
    }
    Ok(())
}
