//! `backoff export`: a policy as the configuration of an engine that retries by itself.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use backoff_export::{ExportError, Format};
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde::Serialize;

use crate::arguments::{BudgetArgument, PolicyArgument};
use crate::output::{Output, error_label, message};

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
}

const EXAMPLES: &str = "\
The engine waits and stops as the policy does. If it cannot, each field that has no equivalent is
named on standard error, and the exit code is 1. Which failures are retried is not part of a policy:
the configuration has a common choice, to be edited.

Examples:
  backoff export --to grpc grpc-retry:retry_after_max=none --budget grpc-retry
  backoff export --to envoy envoy:max_retries=3,retry_after_max=0s
  backoff export --to step-functions full:base=1s,cap=20s,max_retries=5";

/// The names of the formats.
pub(crate) fn formats() -> PossibleValuesParser {
    PossibleValuesParser::new(Format::ALL.iter().map(|format| format.name()))
}

#[derive(Serialize)]
struct Exported<'a> {
    format: &'a str,
    text: String,
}

#[derive(Serialize)]
struct Refused<'a> {
    field: &'static str,
    value: &'a str,
    reason: &'a str,
    message: String,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<ExitCode> {
    let budget = arguments.budget.as_deref();
    let format = arguments.to.parse()?;
    match backoff_export::export(&arguments.policy, budget, format) {
        Ok(text) => {
            if output.is_json() {
                output.json(&Exported { format: format.name(), text })?;
            } else {
                output.write_all(text.as_bytes())?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            write_refusals(&error, output)?;
            Ok(ExitCode::FAILURE)
        }
    }
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
